import { finished, Readable } from 'node:stream';
import { METHODS, type WireMethod } from '@lakehouse-search/client/internal';
import { LhsError } from '@lakehouse-search/contract';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Calls } from '../calls/calls.ts';
import { BATCH_BYTES } from '../calls/most-bytes.ts';
import { requestId } from '../calls/request-id.ts';
import type { Observer } from '../observe/observer.ts';
import { spanOf, traceparentOf } from '../observe/trace-context.ts';
import { refuseOtherSites } from './allowed-origin.ts';
import { addOperation } from './operation-route.ts';
import { addBodies, batchValue, bodyText, bodyValue } from './read-body.ts';
import { refuseUnreadableUrls } from './readable-url.ts';
import { NOTES, type NotedRequest, notesOf, restRecord } from './rest-call.ts';
import { sendError } from './send-error.ts';

/** How the REST port behaves. */
export interface RestOptions {
  /** Names of the service besides those of this machine. */
  readonly hosts?: readonly string[];
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /** Connections that are open at once; further ones are closed. Default: no limit. */
  readonly connections?: number | undefined;
}

interface RawRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Names of indexes in paths have up to 1,024 bytes, which encoding may triple. */
const PARAM_CHARS = 4096;
const IDLE_MS = 75_000;
const HEADER_MS = 20_000;
/** Time for a request with its body to arrive. Responses may take longer. */
const REQUEST_MS = 300_000;

/** A REST server with the routes of all operations. It does not listen yet. */
export function createRest(
  calls: Calls,
  { tls, connections, hosts = [] }: RestOptions,
): FastifyInstance {
  const options = {
    logger: false,
    genReqId: (raw: RawRequest) => requestId(raw.headers['x-request-id']),
    routerOptions: { maxParamLength: PARAM_CHARS },
    keepAliveTimeout: IDLE_MS,
    requestTimeout: REQUEST_MS,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    // No route has a schema: the compilers of schemas are not loaded.
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      // The router refuses such a path before any hook runs.
      begin(request, reply);
      sendError(request, reply, error);
    },
  } as const;
  const timeouts = { headersTimeout: HEADER_MS };
  const rest: FastifyInstance =
    tls === undefined
      ? fastify({ ...options, http: timeouts })
      : (fastify({ ...options, https: { ...tls, ...timeouts } }) as unknown as FastifyInstance);
  if (connections !== undefined) rest.server.maxConnections = connections;
  readJson(rest);
  observe(rest, calls);
  refuseOtherSites(rest, { hosts, isOpen: calls.isOpen });
  refuseUnreadableUrls(rest);
  for (const method of Object.values(METHODS)) addOperation(rest, calls, method);
  refuse(rest, Object.values(METHODS));
  return rest;
}

function noSchemas(): never {
  throw new Error('routes of this server have no schemas');
}

/** JSON is the one content type. */
function readJson(rest: FastifyInstance): void {
  rest.removeAllContentTypeParsers();
  addBodies(rest, 'application/json', (request, bytes) => {
    if (request.headers['content-encoding'] !== undefined) {
      throw new LhsError('invalid_argument', 'the body is compressed: send it as it is');
    }
    return bytes.length === 0 ? undefined : readBody(request, bodyText(bytes));
  });
}

/** The value of a body. One that is known is not parsed. */
function readBody(request: FastifyRequest, body: string): unknown {
  const { bodyLimit, config } = request.routeOptions;
  if (bodyLimit === BATCH_BYTES) return batchValue(body);
  const { kept } = config;
  if (kept === undefined) return bodyValue(body);
  const notes = notesOf(request);
  notes.repeated = kept.get(body);
  if (notes.repeated !== undefined) return notes.repeated.request;
  notes.body = body;
  return bodyValue(body);
}

function observe(rest: FastifyInstance, { observer }: Calls): void {
  rest.decorateRequest(NOTES, null as never);
  rest.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    done();
  });
  rest.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  if (observer !== undefined) recordCalls(rest, observer);
}

/** Records each call once: when its response has left, or has no client any more. */
function recordCalls(rest: FastifyInstance, observer: Observer): void {
  const record = (request: FastifyRequest, reply: FastifyReply): void => {
    const notes = notesOf(request);
    if (notes.isRecorded) return;
    notes.isRecorded = true;
    observer.ended(restRecord(request, reply));
  };
  rest.addHook('onSend', (request, reply, payload, done) => {
    const notes = notesOf(request);
    const answered = () => {
      notes.isAnswered = true;
      if (reply.raw.closed) record(request, reply);
    };
    if (payload instanceof Readable) finished(payload, answered);
    else answered();
    reply.raw.once('close', () => {
      if (notes.isAnswered) record(request, reply);
    });
    done(null, payload);
  });
  rest.addHook('onResponse', (request, reply, done) => {
    record(request, reply);
    done();
  });
}

/** The notes of a request, and the headers of every response. */
function begin(request: FastifyRequest, reply: FastifyReply): void {
  const span = spanOf(request.headers.traceparent);
  (request as NotedRequest)[NOTES] = { began: performance.now(), bytesOut: 0, span };
  reply.header('x-request-id', request.id);
  if (span.parentId !== undefined) reply.header('traceresponse', traceparentOf(span));
  reply.header('x-content-type-options', 'nosniff');
  reply.header('cache-control', 'no-store');
}

/** Unknown paths are not found; known paths refuse other methods. */
function refuse(rest: FastifyInstance, methods: readonly WireMethod[]): void {
  const bindings = methods.flatMap(({ route }) => [
    `${route.verb} ${route.path}`,
    ...(route.also ?? []),
  ]);
  const patterns = bindings.map((binding) => {
    const [verb, path] = binding.split(' ');
    return { verb, path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) };
  });
  // A handler would be called when the body has been read; the console answers `onRequest`.
  rest.addHook('preParsing', (request, reply, _body, done) => {
    if (!request.is404) {
      done();
      return;
    }
    const path = request.url.split('?')[0];
    const verbs = patterns.filter((pattern) => pattern.path.test(path)).map(({ verb }) => verb);
    if (verbs.length > 0) reply.header('allow', verbs.join(', '));
    sendError(request, reply, refusal(request, path, verbs));
  });
}

const ROUTES = 'GET /v1/openapi.json lists the endpoints';

function refusal({ method }: FastifyRequest, path: string, verbs: readonly string[]): Error {
  const shown = JSON.stringify(`${method} ${path.slice(0, 200)}`);
  if (verbs.length === 0)
    return new LhsError('not_found', `no endpoint ${shown}`, { hint: ROUTES });
  const error = new Error(`no endpoint ${shown}: the path takes ${verbs.join(', ')}`);
  return Object.assign(error, { statusCode: 405 });
}
