/** Adds the endpoints of the adapter to a REST server. */
import { type Json, LhsError } from '@lakehouse-search/contract';
import { writingJson } from '@lakehouse-search/contract/internal';
import { inTurns } from '@lakehouse-search/engine/internal';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Calls } from '../../calls/calls.ts';
import { encodingFor, sendBytes } from '../../rest/compress.ts';
import { requireClient } from '../../rest/once-closed.ts';
import { arrivalOf, notesOf } from '../../rest/rest-call.ts';
import { noteRefused } from '../../rest/send-error.ts';
import { engineError } from '../base/engine-error.ts';
import { filterPath } from '../base/filter-path.ts';
import { asksUnknownVersion, responseType } from '../base/media-type.ts';
import type { UrlParams } from '../base/read-json.ts';
import { admit } from './adapter-call.ts';
import { BasicCredentials } from './basic-credentials.ts';
import { CLUSTER_ENDPOINTS } from './cluster-routes.ts';
import { Descriptions } from './descriptions.ts';
import { DOCUMENT_ENDPOINTS } from './document-routes.ts';
import { type Answer, type Endpoint, requireKnown } from './endpoint.ts';
import { INDEX_ENDPOINTS } from './index-routes.ts';
import { OpenScrolls } from './open-scrolls.ts';
import { PIT_ENDPOINTS } from './pit-routes.ts';
import { REFUSED_ROUTES, refusalOf } from './refused-routes.ts';
import { requestJson, requestText } from './request-body.ts';
import { SEARCH_ENDPOINTS } from './search-routes.ts';

/** How the adapter behaves. */
export interface AdapterOptions {
  /** The version of the service. */
  readonly version: string;
  /** Sends `X-Elastic-Product`, which clients of Elasticsearch require. Default: true. */
  readonly productHeader?: boolean;
}

const ENDPOINTS: readonly Endpoint[] = [
  ...[...SEARCH_ENDPOINTS, ...PIT_ENDPOINTS, ...DOCUMENT_ENDPOINTS],
  ...[...INDEX_ENDPOINTS, ...CLUSTER_ENDPOINTS],
];

/** Adds the endpoints to a server that has no routes at the root yet. */
export async function addSearchAdapter(
  rest: FastifyInstance,
  calls: Calls,
  options: AdapterOptions,
): Promise<void> {
  await rest.register(async (scope) => {
    // endpoints read bodies themselves, also those of GET
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.setErrorHandler((error, request, reply) => sendEngineError(request, reply, error));
    if (options.productHeader !== false) {
      scope.addHook('onRequest', async ({ headers }, reply) => {
        const id = headers['x-opaque-id'];
        if (typeof id === 'string') reply.header('x-opaque-id', id);
      });
      scope.addHook('onRequest', async (_request, reply) => {
        reply.header('x-elastic-product', 'Elasticsearch');
      });
    }
    const remembered = {
      credentials: new BasicCredentials(calls),
      descriptions: new Descriptions(),
      scrolls: new OpenScrolls(),
    };
    for (const endpoint of ENDPOINTS) addEndpoint(scope, calls, endpoint, options, remembered);
    for (const { methods, path: url } of REFUSED_ROUTES) {
      // before the body is read, which may be large
      const onRequest = async ({ method, url: requested }: FastifyRequest) => {
        throw refusalOf(method, requested);
      };
      scope.route({ method: [...methods], url, onRequest, handler: async () => {} });
    }
  });
}

/** `_all` is a path of its own: a name that begins with `_` is no index. */
const withAll = (path: string): readonly string[] =>
  path.startsWith('/:index/') ? [path, path.replace('/:index/', '/_all/')] : [path];

/** A path may end with a slash. */
const withSlash = (path: string): readonly string[] =>
  path.endsWith('/') ? [path] : [path, `${path}/`];

/** What the adapter remembers between requests. */
interface Remembered {
  readonly credentials: BasicCredentials;
  readonly descriptions: Descriptions;
  readonly scrolls: OpenScrolls;
}

function addEndpoint(
  scope: FastifyInstance,
  calls: Calls,
  endpoint: Endpoint,
  { version }: AdapterOptions,
  { credentials, ...remembered }: Remembered,
): void {
  const { methods, operation } = endpoint;
  const known = new WeakMap<FastifyRequest, string | undefined>();
  /** Refuses callers before the body is read: everybody could else let a server keep large ones. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    notesOf(request).operation = operation;
    const arrival = arrivalOf(request);
    const authorization = await credentials.headerOf(request.headers.authorization, arrival);
    known.set(request, authorization);
    await calls.requireCaller(operation, arrival, authorization);
    requireClient(reply);
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    let release: (() => void) | undefined;
    try {
      const { accept } = request.headers;
      if (asksUnknownVersion(accept) || asksUnknownVersion(request.headers['content-type'])) {
        throw new LhsError('invalid_argument', 'the media type names a version other than 7, 8, 9');
      }
      const text = await requestText(request);
      const body = endpoint.isLined ? text : await requestJson(text);
      const authorization = known.get(request);
      const parts = { calls, request, reply, authorization, body, version, ...remembered };
      const admitted = await admit(parts, operation);
      ({ release } = admitted);
      const { call } = admitted;
      requireKnown(call.params, endpoint, request.url.split('?')[0]);
      return send(request, reply, await endpoint.answer(call), call.params);
    } catch (error) {
      return sendEngineError(request, reply, error);
    } finally {
      release?.();
    }
  };
  for (const url of endpoint.paths.flatMap(withAll).flatMap(withSlash)) {
    scope.route({ method: [...methods], url, onRequest, handler });
  }
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { status = 200, json, text }: Answer,
  params: UrlParams,
): FastifyReply | Promise<FastifyReply> {
  reply.code(status);
  if (text !== undefined) {
    notesOf(request).bytesOut = text.length;
    return reply.header('content-type', 'text/plain; charset=UTF-8').send(text);
  }
  return sendBody(request, reply, json, params);
}

/** The body as bytes: the router would add parameters to the type of a text. */
async function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  json: Json | undefined,
  { filter_path, pretty }: UrlParams,
): Promise<FastifyReply> {
  if (json === undefined) return reply.send();
  const shown = filter_path === undefined ? json : filterPath(json, filter_path);
  const isPretty = pretty === '' || pretty === 'true';
  const written = await inTurns(writingJson(shown, isPretty ? 2 : 0));
  const text = isPretty ? `${written}\n` : written;
  notesOf(request).bytesOut = text.length;
  const { accept, 'accept-encoding': accepted } = request.headers;
  reply.header('content-type', responseType(accept));
  return sendBytes(reply, text, encodingFor(accepted, text.length));
}

/** Answers with an error of the imitated engine. */
function sendEngineError(
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
): Promise<FastifyReply> {
  const { index } = request.params as UrlParams;
  const { status, body, error } = engineError(thrown, index);
  const notes = notesOf(request);
  notes.code = error.code;
  noteRefused(notes, thrown);
  if (error.cause !== undefined) notes.cause = error.cause;
  const { retry_after_s } = error.details;
  if (typeof retry_after_s === 'number') reply.header('retry-after', Math.ceil(retry_after_s));
  if (status === 401) reply.header('www-authenticate', 'Basic realm="lhs", Bearer, ApiKey');
  return sendBody(request, reply.code(status), body, {});
}
