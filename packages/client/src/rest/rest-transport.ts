import { LhsError } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import { ROUTES } from '../generated/routes.ts';
import { requireHeaderValue } from '../remote/header-value.ts';
import type { Transport, TransportCall } from '../remote/transport.ts';
import { unreachable } from '../remote/unreachable.ts';
import { type ErrorJson, errorOf } from '../wire/error-detail.ts';
import { RequestLimit } from './call-limit.ts';
import type { HttpExchange, HttpHead, HttpRequest, WholeResponse } from './exchange.ts';
import { linesOf, textOf } from './lines.ts';
import { restRequest } from './rest-request.ts';

/** Errors of connections that were never made. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/** Statuses of proxies in front of a service that is not there. */
const AWAY = new Set([502, 503, 504]);

/** Calls over HTTP. `url`: as errors show it. */
export function restTransport(url: string, exchange: HttpExchange): Transport {
  return {
    async unary(operation, request, call) {
      const whole = ROUTES[operation].stream === 'requests' ? await collected(request) : request;
      const sent = requestOf(operation, whole, call);
      const limit = new RequestLimit(call);
      try {
        const response = await exchange.whole(sent, limit);
        if (!isOk(response)) throw refusalOf(url, response, response.text);
        const value = bodyOf(url, response);
        return ROUTES[operation].empty === true ? undefined : value;
      } catch (error) {
        throw failureOf(error, url, limit);
      } finally {
        limit.end();
      }
    },
    async *stream(operation, request, call) {
      const sent = requestOf(operation, request, call);
      const limit = new RequestLimit(call);
      try {
        const response = await exchange.open(sent, limit);
        if (!isOk(response)) throw refusalOf(url, response, await textOf(response.chunks));
        for await (const line of linesOf(response.chunks)) yield itemOf(line);
      } catch (error) {
        throw failureOf(error, url, limit);
      } finally {
        limit.close();
      }
    },
    async close() {
      exchange.close();
    },
  };
}

/** A change batch whose parts are an array: HTTP has no streams of requests in browsers. */
async function collected(request: unknown): Promise<unknown> {
  const { batch, ...head } = request as { readonly batch: { readonly parts: Iterable<unknown> } };
  return { ...head, batch: { ...batch, parts: await Array.fromAsync(batch.parts) } };
}

function requestOf(operation: Operation, request: unknown, call: TransportCall): HttpRequest {
  const { method, target, body } = restRequest(ROUTES[operation], request);
  return { method, target, body, headers: headersOf(call, body) };
}

function headersOf(call: TransportCall, body: string | undefined): Record<string, string> {
  const { authorization, deadline, traceparent } = call;
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (authorization !== undefined) {
    requireHeaderValue(authorization);
    headers.authorization = authorization;
  }
  if (traceparent !== undefined) headers.traceparent = traceparent;
  if (deadline === undefined) return headers;
  headers['lhs-timeout-ms'] = String(Math.max(0, Math.ceil(deadline - Date.now())));
  return headers;
}

const isOk = ({ status }: HttpHead): boolean => status >= 200 && status < 300;

function itemOf(line: string): unknown {
  const item = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const { error, ...others } = item;
  const failed = typeof error === 'object' && error !== null && Object.keys(others).length === 0;
  if (failed) throw errorOf(error as ErrorJson);
  return item;
}

/** The value of a response. A body of JSON that is none was cut on its way. */
function bodyOf(url: string, { contentType = '', text }: WholeResponse): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (contentType.includes('json')) throw error;
    const type = contentType === '' ? 'without a type' : `of type "${contentType}"`;
    throw notService(`"${url}" answers with a body ${type}, expected JSON`, error);
  }
}

/** The error of an address where something else than a service answers, now and later. */
const notService = (message: string, cause?: unknown): LhsError =>
  new LhsError('unreachable', message, {
    hint: 'check the URL and its path, and whether a proxy or a sign-in page is before the service',
    ...{ details: { retry: false }, cause },
  });

/** The error of a response, from its body or, behind a proxy, from its status. */
function refusalOf(url: string, head: HttpHead, text: string): LhsError {
  const { status, retryAfter, location } = head;
  if (status >= 300 && status < 400) {
    const target = location === undefined ? '' : ` to "${location}"`;
    return notService(`"${url}" redirects${target} (HTTP status ${status})`);
  }
  try {
    const { error } = JSON.parse(text) as { error: ErrorJson };
    const after = Number(retryAfter ?? Number.NaN);
    if (Number.isNaN(after)) return errorOf(error);
    return errorOf({ ...error, details: { retry_after_s: after, ...error.details } });
  } catch {
    const message = `the service answers with HTTP status ${status}`;
    return new LhsError(AWAY.has(status) ? 'unreachable' : 'internal', message);
  }
}

interface Failure {
  readonly code?: string;
  readonly message: string;
  readonly cause?: Failure;
}

/** `fetch` has the error of the connection as a cause, a pool has it itself. */
function failureOf(error: unknown, url: string, limit: RequestLimit): unknown {
  if (error instanceof LhsError) return error;
  if (limit.error !== undefined) return limit.error;
  const thrown = error as Failure;
  const { code, message } = thrown.code === undefined ? (thrown.cause ?? thrown) : thrown;
  const sent = code === undefined || !UNSENT.has(code);
  const details = sent ? {} : { sent };
  return unreachable(url, code ?? message, { details, cause: error });
}
