/**
 * The tokens of services by profile, in a file that only its owner may read. A token is sent to the
 * URL for which it was stored, and to no other.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { userConfigFolder } from './settings-file.ts';

/** A stored token. */
export interface Credential {
  /** The service that accepts it. */
  readonly url: string;
  /** `session`: sent as `Bearer`; `api`: sent as `ApiKey`. */
  readonly kind: 'session' | 'api';
  readonly token: string;
  /** The user who logged in. */
  readonly user?: string;
  /** ISO 8601, UTC. Absent: unknown, or it does not expire. */
  readonly expires_at?: string;
}

type Credentials = Readonly<Record<string, Credential>>;

const OTHERS = 0o077;
const OWNER = 0o600;

/** Path of the file with tokens. */
export const credentialsFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(userConfigFolder(env), 'credentials.json');

/** All stored tokens by profile. Throws permission_denied if others may read the file. */
export function readCredentials(env: NodeJS.ProcessEnv = process.env): Credentials {
  const file = credentialsFile(env);
  if (!existsSync(file)) return {};
  const isOpen = process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0;
  if (isOpen) {
    const message = `"${file}" has tokens and other users of this machine may read it`;
    throw new LhsError('permission_denied', message, { hint: `run "chmod 600 ${file}"` });
  }
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials;
  } catch (cause) {
    const message = `"${file}" cannot be read as JSON`;
    throw new LhsError('invalid_argument', message, { hint: 'remove it and log in', cause });
  }
}

/** Stores the token of a profile, or removes it (`undefined`). */
export async function storeCredential(
  profile: string,
  credential: Credential | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { makeFolder } = await import('@lakehouse-search/lake/internal');
  const { [profile]: _, ...others } = readCredentials(env);
  const all = credential === undefined ? others : { ...others, [profile]: credential };
  const file = credentialsFile(env);
  if (Object.keys(all).length === 0) return rm(file, { force: true });
  await makeFolder(userConfigFolder(env));
  const written = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(written, `${JSON.stringify(all, undefined, 2)}\n`, { mode: OWNER, flag: 'wx' });
  await rename(written, file);
}

/**
 * The token for a URL: that of the profile, or of another profile with this URL. Throws
 * unauthenticated if it has expired.
 */
export function credentialFor(
  url: string,
  profile: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Credential | undefined {
  const all = Object.entries(readCredentials(env)).filter(([, { url: of }]) => isSame(of, url));
  const found = all.find(([name]) => name === profile) ?? all[0];
  if (found === undefined) return undefined;
  const [name, credential] = found;
  const { expires_at: expires } = credential;
  if (expires === undefined || Date.parse(expires) > Date.now()) return credential;
  throw new LhsError('unauthenticated', `the session of profile "${name}" ended at ${expires}`, {
    hint: `run "lhs login --profile ${name}", or "lhs login --token" for a token that lasts`,
  });
}

const isSame = (one: string, other: string): boolean => placeOf(one) === placeOf(other);

function placeOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}
