import type { WireMethod } from '@lakehouse-search/client';
import { type CallContext, LhsError, type Principal } from '@lakehouse-search/contract';
import { answerText } from '@lakehouse-search/engine';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Calls, indexOf } from '../calls/calls.ts';
import { mostBytesOf } from '../calls/most-bytes.ts';
import { onceClosed } from './once-closed.ts';
import { type ReadRequest, requestReader } from './read-request.ts';
import { arrivalOf, notesOf } from './rest-call.ts';
import { sendError } from './send-error.ts';
import { sendJson } from './send-json.ts';
import { NDJSON_TYPE, ndjson, untilDeadline } from './stream.ts';

/** Adds the routes of an operation. */
export function addOperation(rest: FastifyInstance, calls: Calls, method: WireMethod): void {
  const { route } = method;
  const read = requestReader(method);
  const handler = (request: FastifyRequest, reply: FastifyReply) =>
    answer(calls, method, read, request, reply);
  const isBatch = route.stream === 'requests';
  const bodyLimit = mostBytesOf(method);
  const before = isBatch ? { onRequest: callerFirst(calls, method) } : {};
  rest.route({ method: route.verb, url: patternOf(route.path), bodyLimit, handler, ...before });
  for (const other of route.also ?? []) {
    const [verb, path] = other.split(' ');
    rest.route({ method: verb, url: patternOf(path), handler });
  }
}

/** Refuses callers before the body is read: everybody could else let a server keep large ones. */
function callerFirst(calls: Calls, { operation }: WireMethod) {
  return async (request: FastifyRequest): Promise<void> => {
    notesOf(request).operation = operation;
    await calls.requireCaller(operation, arrivalOf(request), request.headers.authorization);
  };
}

/** A path as the router writes it: a colon of its own is doubled. */
const patternOf = (path: string): string =>
  path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1');

async function answer(
  calls: Calls,
  method: WireMethod,
  read: ReadRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { operation, route } = method;
  const notes = notesOf(request);
  notes.operation = operation;
  let release: (() => void) | undefined;
  try {
    const { body, params, query } = request;
    const wanted = read(body, params as Record<string, unknown>, query as Record<string, unknown>);
    notes.index = indexOf(wanted);
    const { authorization } = request.headers;
    const begun = await calls.begin(operation, arrivalOf(request), authorization, wanted);
    release = begun.release;
    notes.subject = begun.principal?.subject;
    notes.tenant = begun.principal?.tenant;
    const { call, abort } = contextOf(request, reply, begun.principal);
    const result = calls.run(operation, wanted, call, notes.span);
    if (route.stream !== 'responses') {
      const value = await result;
      notes.index ||= indexOf(value);
      const text = value === undefined ? '{}' : answerText(value);
      return await sendJson(request, reply, route.status ?? 200, text);
    }
    const ended = release;
    release = undefined;
    const items = untilDeadline(result as AsyncIterable<unknown>, call.deadline, abort);
    return await sendLines(request, reply, items, ended);
  } catch (error) {
    sendError(request, reply, error);
    return reply;
  } finally {
    release?.();
  }
}

/** The context of a call: it is aborted when the client closes the connection. */
export function contextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  principal: Principal | undefined,
): { readonly call: CallContext; readonly abort: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  onceClosed(reply, () => {
    if (!reply.raw.writableEnded) abort();
  });
  const { signal } = controller;
  const deadline = deadlineOf(request.headers['lhs-timeout-ms']);
  const own = deadline === undefined ? { signal } : { signal, deadline };
  return { call: principal === undefined ? own : { ...own, principal }, abort };
}

/** The header `lhs-timeout-ms` as a time. Throws invalid_argument. */
function deadlineOf(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^\d{1,10}$/.test(header)) return Date.now() + Number(header);
  const message = `the header "lhs-timeout-ms" is ${JSON.stringify(header)}: expected milliseconds`;
  throw new LhsError('invalid_argument', message);
}

async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  items: AsyncIterable<unknown>,
  release: (() => void) | undefined,
): Promise<FastifyReply> {
  const notes = notesOf(request);
  try {
    const lines = await ndjson(items, (bytes, error) => {
      notes.bytesOut = bytes;
      if (error !== undefined) notes.cause = error;
      release?.();
    });
    return reply.header('content-type', NDJSON_TYPE).send(lines);
  } catch (error) {
    release?.();
    throw error;
  }
}
