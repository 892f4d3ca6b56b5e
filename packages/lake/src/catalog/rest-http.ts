import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { LakeError } from '../base/errors.ts';
import { type JsonValue, parseJson } from '../base/json.ts';
import { JsonNode } from '../base/json-node.ts';
import { LIMITS } from '../base/limits.ts';
import { shownUri } from '../base/secrets.ts';

/**
 * HTTP as a REST catalog needs it. Only the origins that the user's own configuration names are
 * ever spoken to: redirects are not followed, and addresses that a server sends are never called.
 * Reads are repeated after 429 and 5xx; answers have a size limit.
 */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/** An answer, its body read to the end. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** The error of a catalog that cannot be reached or does not answer as one. */
export function unreachable(url: URL, what: string, cause?: unknown): LakeError {
  return new LakeError('catalog_unreachable', `catalog "${shownUrl(url)}" ${what}`, {
    file: shownUrl(url),
    cause,
  });
}

/** The error of a catalog that is there and does not understand a request. */
export function notUnderstood(url: URL, what: string): LakeError {
  return new LakeError('catalog_invalid', `catalog "${shownUrl(url)}" ${what}`, {
    file: shownUrl(url),
  });
}

/** A URL fit for messages: no user, no query. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/**
 * The URL of a configuration value. Throws invalid_argument for anything but http and https, and
 * for user names in it.
 */
export function httpUrl(text: string, what: string): URL {
  let url: URL | null = null;
  try {
    url = new URL(text);
  } catch {
    url = null;
  }
  const fit = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  if (fit) return url!;
  throw new LakeError(
    'invalid_argument',
    `${what} "${shownUri(text)}" is not an http or https address without a user name`,
  );
}

/** Whether secrets may go to this address: https, or this machine itself. */
export function isTrustworthy(url: URL): boolean {
  return url.protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}

const RETRIED = new Set([429, 500, 502, 503, 504]);
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5000;

/**
 * Sends a request; a GET is repeated a few times after passing faults. Throws catalog_unreachable,
 * limit_exceeded.
 */
export async function send(spec: HttpRequest): Promise<HttpAnswer> {
  for (let attempt = 1; ; attempt++) {
    const last = attempt > LIMITS.catalogRetries || spec.method !== 'GET';
    const { answer, waitMs } = await sendOnce(spec, last);
    if (answer !== null && (last || !RETRIED.has(answer.status)))
      return refuseRedirect(answer, spec);
    const pause = waitMs ?? FIRST_WAIT_MS * 2 ** attempt;
    await sleep(Math.min(pause, LONGEST_WAIT_MS), undefined, { signal: spec.signal });
  }
}

function refuseRedirect(answer: HttpAnswer, spec: HttpRequest): HttpAnswer {
  if (answer.status < 300 || answer.status >= 400 || answer.status === 304) return answer;
  throw new LakeError(
    'catalog_refused',
    `catalog "${shownUrl(spec.url)}" answers with a redirect (${answer.status}); ` +
      'redirects are not followed',
    { file: shownUrl(spec.url) },
  );
}

async function sendOnce(
  spec: HttpRequest,
  last: boolean,
): Promise<{ answer: HttpAnswer | null; waitMs: number | null }> {
  try {
    const response = await request(spec.url, {
      method: spec.method,
      headers: { ...spec.headers },
      body: spec.body ?? null,
      headersTimeout: LIMITS.catalogTimeoutMs,
      bodyTimeout: LIMITS.catalogTimeoutMs,
      ...(spec.signal === undefined ? {} : { signal: spec.signal }),
    });
    const body = await readBody(response.body, spec.url);
    const { 'retry-after': after } = response.headers;
    return {
      answer: { status: response.statusCode, body },
      waitMs: typeof after === 'string' && /^\d{1,4}$/.test(after) ? Number(after) * 1000 : null,
    };
  } catch (error) {
    if (error instanceof LakeError || spec.signal?.aborted) throw error;
    if (last) throw unreachable(spec.url, `cannot be reached (${reason(error)})`, error);
    return { answer: null, waitMs: null };
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

async function readBody(body: AsyncIterable<Buffer>, url: URL): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LIMITS.catalogBodyBytes) {
      throw new LakeError('limit_exceeded', `catalog "${shownUrl(url)}" sends too long an answer`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** An answer's body as JSON with exact integers. Throws catalog_unreachable if it is none. */
export function answerJson(answer: HttpAnswer, url: URL): JsonNode {
  let value: JsonValue;
  try {
    value = parseJson(answer.body.toString('utf8'));
  } catch {
    // without the parser's error as its cause: that quotes the answer, cut anywhere
    throw unreachable(url, `does not answer with JSON (status ${answer.status})`);
  }
  return new JsonNode(value, '', shownUrl(url), 'catalog_unreachable');
}

const SHOWN_CHARS = 500;

function shortened(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

/**
 * The message of an Iceberg error answer (`{error: {message, type, code}}`), or the bare status.
 */
export function errorMessage(answer: HttpAnswer): string {
  try {
    const value = parseJson(answer.body.toString('utf8')) as { error?: { message?: unknown } };
    const message = value.error?.message;
    if (typeof message === 'string') return `${answer.status}: ${shortened(message)}`;
  } catch {
    // Not JSON: a proxy's page; the status says enough.
  }
  return `status ${answer.status}`;
}
