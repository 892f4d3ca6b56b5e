import { LhsError, type Operation } from '@lakehouse-search/contract';
import type { Transport, TransportCall } from '../remote/transport.ts';
import { late } from '../remote/wanted.ts';
import { type ErrorJson, errorOf } from '../wire/error-detail.ts';
import { ROUTES } from '../wire/routes.ts';
import { linesOf } from './lines.ts';
import { restRequest } from './rest-request.ts';

/** As the global `fetch`. */
export type Fetch = typeof fetch;

/** Errors of connections that were never made. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/** Statuses of proxies in front of a service that is not there. */
const AWAY = new Set([502, 503, 504]);

/** Calls over HTTP with `fetch`, in Node and in browsers. */
export function restTransport(url: string, send: Fetch): Transport {
  const base = url.replace(/\/+$/, '');

  async function exchange(operation: Operation, request: unknown, call: TransportCall) {
    const { method, target, body } = restRequest(ROUTES[operation], request);
    const limit = limitOf(call);
    try {
      const headers = headersOf(call, body);
      const init = { method, headers, body, signal: limit.signal, redirect: 'error' } as const;
      const response = await send(`${base}${target}`, init);
      if (!response.ok) throw await refusalOf(response);
      return { response, limit };
    } catch (error) {
      limit.end();
      throw failureOf(error, base, limit);
    }
  }

  return {
    async unary(operation, request, call) {
      const whole = ROUTES[operation].stream === 'requests' ? await collected(request) : request;
      const { response, limit } = await exchange(operation, whole, call);
      try {
        const value: unknown = await response.json();
        return ROUTES[operation].empty === true ? undefined : value;
      } catch (error) {
        throw failureOf(error, base, limit);
      } finally {
        limit.end();
      }
    },
    async *stream(operation, request, call) {
      const { response, limit } = await exchange(operation, request, call);
      try {
        for await (const line of linesOf(response)) yield itemOf(line);
      } catch (error) {
        throw failureOf(error, base, limit);
      } finally {
        limit.stop();
      }
    },
    async close() {},
  };
}

/** A change batch whose parts are an array: HTTP has no streams of requests in browsers. */
async function collected(request: unknown): Promise<unknown> {
  const { batch, ...head } = request as { readonly batch: { readonly parts: Iterable<unknown> } };
  return { ...head, batch: { ...batch, parts: await Array.fromAsync(batch.parts) } };
}

function headersOf(call: TransportCall, body: string | undefined): Record<string, string> {
  const { authorization, deadline } = call;
  return {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(authorization === undefined ? {} : { authorization }),
    ...(deadline === undefined
      ? {}
      : { 'lhs-timeout-ms': String(Math.max(0, Math.ceil(deadline - Date.now()))) }),
  };
}

/** The signal of an exchange, which its caller and its deadline abort. */
interface Limit {
  readonly signal: AbortSignal;
  readonly late: boolean;
  /** Forgets signal and timer. */
  end(): void;
  /** The same, and closes the connection if it is still in use. */
  stop(): void;
}

function limitOf({ signal, deadline }: TransportCall): Limit {
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const limit = { signal: controller.signal, late: false, end, stop };
  const pause = deadline === undefined ? undefined : Math.max(0, deadline - Date.now());
  const timer = pause === undefined ? undefined : setTimeout(expire, Math.min(pause, 2 ** 31 - 1));
  function expire() {
    limit.late = true;
    abort();
  }
  function end() {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
  function stop() {
    end();
    abort();
  }
  return limit;
}

function itemOf(line: string): unknown {
  const item = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const { error, ...others } = item;
  const failed = typeof error === 'object' && error !== null && Object.keys(others).length === 0;
  if (failed) throw errorOf(error as ErrorJson);
  return item;
}

/** The error of a response, from its body or, behind a proxy, from its status. */
async function refusalOf(response: Response): Promise<LhsError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: ErrorJson };
    const after = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (Number.isNaN(after)) return errorOf(error);
    return errorOf({ ...error, details: { retry_after_s: after, ...error.details } });
  } catch {
    const { status } = response;
    const message = `the service answers with HTTP status ${status}`;
    return new LhsError(AWAY.has(status) ? 'unreachable' : 'internal', message);
  }
}

function failureOf(error: unknown, base: string, { signal, late: isLate }: Limit): unknown {
  if (error instanceof LhsError) return error;
  if (signal.aborted) return isLate ? late() : new LhsError('interrupted', 'interrupted');
  const cause = error instanceof Error ? error.cause : undefined;
  const { code, message } = (cause ?? error) as {
    readonly code?: string;
    readonly message: string;
  };
  const sent = code === undefined || !UNSENT.has(code);
  const words = `cannot reach "${base}": ${code ?? message}`;
  return new LhsError('unreachable', words, { details: sent ? {} : { sent }, cause: error });
}
