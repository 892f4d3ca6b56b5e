import { LakeError } from '../base/errors.ts';
import type { Secrets } from '../base/secrets.ts';
import type { RestCatalogConfig } from './config.ts';
import { answerJson, errorMessage, httpUrl, isTrustworthy, send, shownUrl } from './rest-http.ts';
import type { LoadOptions } from './table-handle.ts';

/**
 * Identity for a REST catalog: none, a bearer token, or OAuth2 client credentials. Secrets come
 * from the environment alone.
 */
export interface RestAuth {
  /**
   * The Authorization header, or none. `renew` requests a new token after the old one was refused.
   */
  headers(renew: boolean): Promise<Readonly<Record<string, string>>>;
  /** Whether a refused token can be replaced by a fresh one. */
  readonly renewable: boolean;
}

function secret(name: string, options: LoadOptions): string {
  const value = (options.env ?? process.env)[name]?.trim();
  if (value !== undefined && value !== '') return value;
  throw new LakeError(
    'catalog_refused',
    `environment variable "${name}" is not set; the catalog's configuration says that it ` +
      'holds the secret',
    { details: { variable: name } },
  );
}

function refuseInsecure(url: URL, options: LoadOptions): void {
  if (isTrustworthy(url) || options.insecureHttp === true) return;
  throw new LakeError(
    'catalog_refused',
    `secrets are not sent to "${shownUrl(url)}" over plain http; use https`,
    { file: shownUrl(url) },
  );
}

/**
 * The identity of a catalog's configuration; the values that it sends are added to `secrets`.
 * Throws catalog_refused for an unset variable, or http to another machine.
 */
export function restAuth(
  config: RestCatalogConfig,
  base: URL,
  options: LoadOptions,
  secrets: Secrets,
): RestAuth {
  if (config.token_env !== undefined) {
    refuseInsecure(base, options);
    const token = secret(config.token_env, options);
    secrets.add(token);
    return bearer(token);
  }
  if (config.credential_env !== undefined) {
    refuseInsecure(base, options);
    const credential = secret(config.credential_env, options);
    secrets.add(credential);
    secrets.add(credential.slice(credential.indexOf(':') + 1));
    return clientCredentials(config, base, credential, options, secrets);
  }
  return { renewable: false, headers: async () => ({}) };
}

/** A fixed bearer token. */
export function bearer(token: string): RestAuth {
  const headers = Object.freeze({ authorization: `Bearer ${token}` });
  return { renewable: false, headers: async () => headers };
}

/** Milliseconds by which a token is renewed before it ends. */
const MARGIN_MS = 30_000;

function clientCredentials(
  config: RestCatalogConfig,
  base: URL,
  credential: string,
  options: LoadOptions,
  secrets: Secrets,
): RestAuth {
  const endpoint =
    config.oauth2_server_uri === undefined
      ? new URL('v1/oauth/tokens', base)
      : httpUrl(config.oauth2_server_uri, 'oauth2_server_uri');
  refuseInsecure(endpoint, options);
  let token: { readonly text: string; readonly endsAt: number } | null = null;
  return {
    renewable: true,
    headers: async (renew) => {
      if (renew || token === null || Date.now() > token.endsAt - MARGIN_MS) {
        token = await fetchToken(endpoint, credential, config.scope ?? 'catalog', options);
        secrets.add(token.text);
      }
      return { authorization: `Bearer ${token.text}` };
    },
  };
}

async function fetchToken(
  endpoint: URL,
  credential: string,
  scope: string,
  options: LoadOptions,
): Promise<{ text: string; endsAt: number }> {
  const colon = credential.indexOf(':');
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(colon < 0 ? {} : { client_id: credential.slice(0, colon) }),
    client_secret: credential.slice(colon + 1),
    scope,
  });
  const answer = await send({
    method: 'POST',
    url: endpoint,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
    signal: options.signal,
  });
  if (answer.status !== 200) {
    throw new LakeError(
      'catalog_refused',
      `token endpoint "${shownUrl(endpoint)}" refuses the credential (${errorMessage(answer)})`,
      { file: shownUrl(endpoint) },
    );
  }
  const json = answerJson(answer, endpoint);
  const seconds = json.get('expires_in').optional((node) => node.number());
  const endsAt = seconds === null ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1000;
  return { text: json.get('access_token').string(), endsAt };
}
