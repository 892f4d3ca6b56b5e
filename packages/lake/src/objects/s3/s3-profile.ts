import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Why the profile that `AWS_PROFILE` names gives no credentials; null: it names none. */
export function profileFault(env: Environment): string | null {
  const { AWS_PROFILE: profile, AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE } = env;
  if (!profile) return null;
  const files = [
    AWS_SHARED_CREDENTIALS_FILE || join(homedir(), '.aws', 'credentials'),
    AWS_CONFIG_FILE || join(homedir(), '.aws', 'config'),
  ];
  return files.some((file) => profilesOf(file).includes(profile))
    ? `profile "${profile}" gives no credentials; correct it or AWS_PROFILE`
    : `AWS_PROFILE is "${profile}", but no profile of this name is in ${files.join(' or ')}`;
}

/** The names of the profiles of a file; none if it cannot be read. */
function profilesOf(file: string): readonly string[] {
  try {
    const sections = readFileSync(file, 'utf8').matchAll(/^\s*\[\s*(?:profile\s+)?(.+?)\s*\]/gm);
    return [...sections].map(([, name]) => name!.replaceAll(/^["']|["']$/g, ''));
  } catch {
    return [];
  }
}
