import type { WireMethod } from '@lakehouse-search/client/internal';
import type { CallContext } from '@lakehouse-search/contract';
import {
  answerParts,
  answerText,
  type CachedParts,
  textOfParts,
} from '@lakehouse-search/engine/internal';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Calls, indexOf } from '../calls/calls.ts';
import { mostBytesOf } from '../calls/most-bytes.ts';
import { ReaderWatch } from '../calls/reader-watch.ts';
import { contextOf, signalOf } from './call-context.ts';
import { KeptRequests } from './kept-requests.ts';
import { requireClient } from './once-closed.ts';
import { type ReadRequest, refuseBody, requestReader } from './read-request.ts';
import { arrivalOf, notesOf, type RestCall } from './rest-call.ts';
import { sendError } from './send-error.ts';
import { sendJson } from './send-json.ts';
import { NDJSON_TYPE, ndjson, untilDeadline } from './stream.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests that were answered from the cache of answers; absent: it has none of the route. */
    readonly kept?: KeptRequests;
  }
}

/** Adds the routes of an operation. */
export function addOperation(rest: FastifyInstance, calls: Calls, method: WireMethod): void {
  const { route } = method;
  const read = requestReader(method);
  const handler = (request: FastifyRequest, reply: FastifyReply) =>
    answer(calls, method, read, request, reply);
  const isBatch = route.stream === 'requests';
  const bodyLimit = mostBytesOf(method);
  const onRequest = callerFirst(calls, method);
  const config = route.verb === 'POST' && !isBatch ? { kept: new KeptRequests() } : {};
  const own = { method: route.verb, url: patternOf(route.path), bodyLimit };
  rest.route({ ...own, handler, config, onRequest });
  for (const other of route.also ?? []) {
    const [verb, path] = other.split(' ');
    rest.route({ method: verb, url: patternOf(path), bodyLimit, onRequest, handler });
  }
}

/** Refuses callers before the body is read: everybody could else let a server keep large ones. */
function callerFirst(calls: Calls, { operation }: WireMethod) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    notesOf(request).operation = operation;
    try {
      const { authorization } = request.headers;
      const known = calls.requireCaller(operation, arrivalOf(request), authorization);
      if (known === undefined) done();
      else known.then(() => requireClient(reply)).then(() => done(), done);
    } catch (error) {
      done(error as Error);
    }
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
    if (request.method === 'GET' || request.method === 'DELETE') refuseBody(request);
    const { body, params, query } = request;
    const wanted = read(body, params as Record<string, unknown>, query as Record<string, unknown>);
    notes.index = indexOf(wanted);
    const { authorization } = request.headers;
    const begins = calls.begin(operation, arrivalOf(request), authorization, wanted);
    const begun = begins instanceof Promise ? await begins : begins;
    release = begun.release;
    notes.subject = begun.principal?.subject;
    notes.tenant = begun.principal?.tenant;
    const own = contextOf(request, begun.principal);
    const recalled = recall(calls, wanted, notes, own);
    if (recalled !== undefined) {
      const sent = sendJson(request, reply, route.status ?? 200, textOfParts(recalled));
      return sent instanceof Promise ? await sent : sent;
    }
    const { signal, abort } = signalOf(reply);
    const call = { ...own, signal };
    const result =
      operation === 'login'
        ? calls.login(wanted, request.ip, call)
        : calls.run(operation, wanted, call, notes.span);
    if (route.stream !== 'responses') {
      const value = await result;
      notes.index ||= indexOf(value);
      if (wanted === body) keep(request, wanted, value);
      const text = value === undefined ? '{}' : await answerText(value);
      return await sendJson(request, reply, route.status ?? 200, text);
    }
    const ended = release;
    release = undefined;
    const items = untilDeadline(result as AsyncIterable<unknown>, call.deadline, abort);
    return await sendLines(request, reply, items, ended, calls.readerMs);
  } catch (error) {
    sendError(request, reply, error);
    return reply;
  } finally {
    release?.();
  }
}

/** The answer to a request that was answered from the cache before, if it is still there. */
function recall(
  calls: Calls,
  wanted: unknown,
  notes: RestCall,
  call: CallContext,
): CachedParts | undefined {
  const { repeated } = notes;
  if (repeated === undefined || repeated.request !== wanted) return undefined;
  const parts = calls.recall(repeated, call);
  if (parts !== undefined) notes.index ||= indexOf(parts.members);
  return parts;
}

/** Keeps a request that was answered from the cache: it will come again. */
function keep(request: FastifyRequest, wanted: unknown, value: unknown): void {
  const { body } = notesOf(request);
  const repeated = answerParts(value as object)?.repeated;
  if (body === undefined || repeated === undefined || repeated.request !== wanted) return;
  Object.freeze(wanted);
  request.routeOptions.config.kept?.add(body, repeated);
}

async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  items: AsyncIterable<unknown>,
  release: (() => void) | undefined,
  readerMs: number,
): Promise<FastifyReply> {
  const notes = notesOf(request);
  const watch = new ReaderWatch(readerMs, (error) => {
    notes.cause = error;
    reply.raw.destroy();
  });
  try {
    const lines = await ndjson(
      items,
      (bytes, error) => {
        notes.bytesOut = bytes;
        if (error !== undefined) notes.cause = error;
        release?.();
      },
      watch,
    );
    return reply.header('content-type', NDJSON_TYPE).send(lines);
  } catch (error) {
    watch.end();
    release?.();
    throw error;
  }
}
