import { Readable } from 'node:stream';
import { loadSdk } from '../load-sdk.ts';
import type { ObjectParts } from '../object-store.ts';
import type { Environment } from '../s3/s3-settings.ts';
import { eachPart } from '../store-writes.ts';

/**
 * The part of `google-auth-library` that is used here. The package is loaded at the first request.
 * Its own types are not imported, because it is optional.
 */
interface GcsSdk {
  readonly GoogleAuth: new (options: { readonly scopes: string }) => GcsCredentials;
}

/** Credentials; `getRequestHeaders` finds them first. */
interface GcsCredentials {
  getRequestHeaders(url: string): Promise<Headers>;
}

/** One request of the JSON interface. */
export interface GcsCall {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Below the endpoint. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly range?: string | undefined;
  readonly body?: Uint8Array | ObjectParts;
}

/** Size and version of an object. Numbers come as texts. */
export interface GcsMetadata {
  readonly name: string;
  readonly size?: string;
  readonly generation?: string;
  readonly md5Hash?: string;
}

/** A service: cloud.google.com/storage/docs/json_api. */
export interface GcsService {
  readonly endpoint: string;
  /** An answer with a status below 400. Throws errors with a `code`: the status. */
  call(call: GcsCall, signal: AbortSignal): Promise<Response>;
}

const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write';

/** The service of the environment: Google's, or an emulator, which takes no credentials. */
export function gcsService(env: Environment): GcsService {
  const emulator = env.STORAGE_EMULATOR_HOST?.replace(/(\/storage\/v1)?\/*$/, '');
  const endpoint = emulator || 'https://storage.googleapis.com';
  let credentials: Promise<GcsCredentials> | undefined;
  const headersFor = async (url: string): Promise<Headers> => {
    if (emulator) return new Headers();
    credentials ??= loadSdk<GcsSdk>('google-auth-library', 'gs://').then(
      ({ GoogleAuth }) => new GoogleAuth({ scopes: SCOPE }),
    );
    return new Headers(await (await credentials).getRequestHeaders(url));
  };
  const call = async ({ method, path, query, range, body }: GcsCall, signal: AbortSignal) => {
    const url = new URL(`${endpoint}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const headers = await headersFor(url.href);
    headers.set('accept-encoding', 'identity');
    if (range !== undefined) headers.set('range', range);
    const sent = body === undefined ? {} : bodyOf(body);
    const response = await fetch(url, { method: method ?? 'GET', headers, signal, ...sent });
    if (response.ok) return response;
    throw Object.assign(new Error(await messageOf(response)), {
      code: response.status,
      retryAfter: response.headers.get('retry-after'),
    });
  };
  return Object.freeze({ endpoint: emulator || 'Google Cloud Storage', call });
}

function bodyOf(body: Uint8Array | ObjectParts): RequestInit {
  if (body instanceof Uint8Array) return { body: new Uint8Array(body) };
  return { body: Readable.toWeb(Readable.from(eachPart(body))), duplex: 'half' };
}

/** What the service says, on JSON or plain. */
async function messageOf(response: Response): Promise<string> {
  const text = (await response.text()).slice(0, 10_000);
  return /"message": ?"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 300);
}
