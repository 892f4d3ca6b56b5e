import { LakeError } from '../base/errors.ts';
import { formatJson, type JsonObject } from '../base/json.ts';
import type { JsonNode } from '../base/json-node.ts';
import { LIMITS } from '../base/limits.ts';
import type { Secrets } from '../base/secrets.ts';
import type { RestCatalogConfig } from './config.ts';
import { bearer, type RestAuth, restAuth } from './rest-auth.ts';
import {
  answerJson,
  errorMessage,
  type HttpAnswer,
  type HttpRequest,
  httpUrl,
  notUnderstood,
  send,
  shownUrl,
  unreachable,
} from './rest-http.ts';
import { type LoadOptions, outcomeUnknown } from './table-handle.ts';

/**
 * A conversation with a REST catalog after its `config` answer
 * (open-api/rest-catalog-open-api.yaml).
 */
export interface RestSession {
  /**
   * The catalog's settings: the server's defaults, then the user's, then the server's overrides.
   */
  readonly settings: Readonly<Record<string, string>>;
  /** What joins the levels of a namespace in paths and queries. */
  readonly separator: string;
  /** GET of a path below `/v1/{prefix}/`; answers 2xx, 304 and 404, throws for all else. */
  get(path: string, query: Readonly<Record<string, string>>, ask?: Ask): Promise<HttpAnswer>;
  /**
   * POST of JSON to a path below `/v1/{prefix}/`; answers 2xx, 404 and 409, throws for all else. If
   * the answer is lost, the error is one of `outcomeUnknown`.
   */
  post(path: string, body: JsonObject, ask?: Ask): Promise<HttpAnswer>;
  /** DELETE of a path; answers 2xx and 404, throws as `post`. */
  delete(path: string, ask?: Ask): Promise<HttpAnswer>;
  /** Every page of a listing, each read by `read`. */
  pages(
    path: string,
    query: Readonly<Record<string, string>>,
    read: (page: JsonNode) => void,
  ): Promise<void>;
  url(path: string, query?: Readonly<Record<string, string>>): URL;
}

/** Options of a single request besides its path. */
export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  /** A token that the catalog handed out for one table, in place of the session's. */
  readonly token?: string | undefined;
}

/**
 * Opens a session: reads `/v1/config` and settles prefix and settings. What is sent in confidence
 * is added to `secrets`. Throws catalog_unreachable, catalog_refused (no permission; or a server
 * that sends us to another origin), invalid_argument.
 */
export async function openRestSession(
  config: RestCatalogConfig,
  options: LoadOptions,
  secrets: Secrets,
): Promise<RestSession> {
  const base = httpUrl(config.uri.replace(/\/*$/, '/'), 'catalog uri');
  const auth = restAuth(config, base, options, secrets);
  const warehouse: Record<string, string> =
    config.warehouse === undefined ? {} : { warehouse: config.warehouse };
  const url = withQuery(new URL('v1/config', base), warehouse);
  const answer = accepted(await authorized(url, auth, {}, options), url);
  if (answer.status === 404)
    throw unreachable(url, `has no such warehouse (${errorMessage(answer)})`);
  const json = answerJson(answer, url);
  const part = (name: string) => json.get(name).optional((n) => n.stringMap()) ?? {};
  const overrides = part('overrides');
  refuseOtherOrigin(overrides.uri, base);
  const own: Record<string, string> = config.prefix === undefined ? {} : { prefix: config.prefix };
  const settings = Object.freeze({ ...part('defaults'), ...own, ...overrides });
  return session(base, settings, auth, options);
}

function refuseOtherOrigin(uri: string | undefined, base: URL): void {
  if (uri === undefined || httpUrl(uri, 'override uri').origin === base.origin) return;
  throw new LakeError(
    'catalog_refused',
    `catalog "${shownUrl(base)}" sends us to another origin, "${uri}"; name that one as ` +
      "the catalog's uri if you trust it",
    { file: shownUrl(base) },
  );
}

function session(
  base: URL,
  settings: Readonly<Record<string, string>>,
  auth: RestAuth,
  options: LoadOptions,
): RestSession {
  const prefix = (settings.prefix ?? '').split('/').filter((part) => part !== '');
  if (prefix.some((part) => /^\.{1,2}$/.test(part))) {
    throw new LakeError(
      'catalog_refused',
      `catalog "${shownUrl(base)}" sends the prefix "${settings.prefix}", which leaves ` +
        'its own path',
      { file: shownUrl(base) },
    );
  }
  const root = new URL(['v1', ...prefix.map(encodeURIComponent), ''].join('/'), base);
  const url = (path: string, query: Readonly<Record<string, string>> = {}) =>
    withQuery(new URL(path, root), query);
  const get: RestSession['get'] = async (path, query, ask = {}) => {
    const target = url(path, query);
    const who = ask.token === undefined ? auth : bearer(ask.token);
    return accepted(await authorized(target, who, ask.headers ?? {}, options), target);
  };
  const write = async (sent: Sent, path: string, ask: Ask = {}) => {
    const target = url(path);
    const who = ask.token === undefined ? auth : bearer(ask.token);
    const headers = { 'content-type': 'application/json', ...ask.headers };
    const answer = await authorized(target, who, headers, options, sent).catch(lost);
    if (answer.status === 409) return answer;
    if (![500, 502, 504].includes(answer.status)) return accepted(answer, target);
    return lost(unreachable(target, `answers with an error (${errorMessage(answer)})`));
  };
  return {
    settings,
    separator: separatorOf(settings, base),
    url,
    get,
    post: (path, body, ask) => write({ method: 'POST', body: formatJson(body) }, path, ask),
    delete: (path, ask) => write({ method: 'DELETE' }, path, ask),
    pages: async (path, query, read) => {
      const seen = new Set<string>();
      let token = '';
      do {
        seen.add(token);
        const target = url(path, { ...query, pageToken: token });
        const answer = await get(path, { ...query, pageToken: token });
        if (answer.status === 404) throw notUnderstood(target, `(${errorMessage(answer)})`);
        const page = answerJson(answer, target);
        read(page);
        token = page.get('next-page-token').optional((n) => n.string()) ?? '';
        if (token !== '' && (seen.has(token) || seen.size >= LIMITS.catalogPages)) {
          throw unreachable(target, 'pages without end: a page token comes twice, or too many');
        }
      } while (token !== '');
    },
  };
}

const UNIT_SEPARATOR = '\u001f';

/** The setting is percent-encoded, as paths are. */
function separatorOf(settings: Readonly<Record<string, string>>, base: URL): string {
  const encoded = settings['namespace-separator'] ?? '';
  try {
    return decodeURIComponent(encoded) || UNIT_SEPARATOR;
  } catch {
    const what = `sends the namespace separator "${encoded}", which is not percent-encoded`;
    throw unreachable(base, what);
  }
}

function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url;
}

/** What a request sends. */
interface Sent {
  readonly method: HttpRequest['method'];
  readonly body?: string;
}

async function authorized(
  url: URL,
  auth: RestAuth,
  headers: Readonly<Record<string, string>>,
  options: LoadOptions,
  sent: Sent = { method: 'GET' },
): Promise<HttpAnswer> {
  const attempt = async (renew: boolean) =>
    send({
      ...sent,
      url,
      headers: { accept: 'application/json', ...headers, ...(await auth.headers(renew)) },
      signal: options.signal,
    });
  const answer = await attempt(false);
  const expired = answer.status === 401 || answer.status === 419;
  return expired && auth.renewable ? attempt(true) : answer;
}

function lost(error: unknown): never {
  const isLost = error instanceof LakeError && error.reason === 'catalog_unreachable';
  throw isLost ? outcomeUnknown(error) : error;
}

function accepted(answer: HttpAnswer, url: URL): HttpAnswer {
  const { status } = answer;
  if ((status >= 200 && status < 300) || status === 304 || status === 404) return answer;
  if ([401, 403, 419].includes(status)) {
    throw new LakeError(
      'catalog_refused',
      `catalog "${shownUrl(url)}" refuses us (${errorMessage(answer)}); check token_env ` +
        'or credential_env',
      { file: shownUrl(url) },
    );
  }
  const message = `answers with an error (${errorMessage(answer)})`;
  // A request that the catalog refuses has reached it; repeating it does not help.
  if (status < 500 && status !== 429) throw notUnderstood(url, message);
  throw unreachable(url, message);
}
