import { Readable } from 'node:stream';
import { LhsError } from '@lakehouse-search/contract';
import type { HttpHandler } from '@lakehouse-search/mcp';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Calls } from '../calls/calls.ts';
import { publicError } from '../calls/public-error.ts';
import { onceClosed } from '../rest/once-closed.ts';
import { arrivalOf, notesOf } from '../rest/rest-call.ts';
import { restError, sendError } from '../rest/send-error.ts';
import { agentBackend } from './agent-backend.ts';

const PATH = '/mcp';
const OTHERS: HTTPMethods[] = ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'];
/** Bytes of a message. */
const BODY_BYTES = 1024 * 1024;

/**
 * Adds `POST /mcp`: Model Context Protocol without sessions. The order of refusals: `Host`
 * and `Origin`, method, credentials, body.
 */
export function addMcp(rest: FastifyInstance, calls: Calls, version: string) {
  let opening: Promise<HttpHandler> | undefined;
  const opened = () => {
    opening ??= import('@lakehouse-search/mcp').then(({ openHttpHandler }) => openHttpHandler());
    return opening;
  };
  rest.route({
    method: OTHERS,
    url: PATH,
    onRequest: async (request, reply) => {
      const { method } = request;
      const error = new Error(`no endpoint "${method} ${PATH}": the path takes POST`);
      reply.header('allow', 'POST');
      sendError(request, reply, Object.assign(error, { statusCode: 405 }));
      return reply;
    },
    handler: async () => {},
  });
  rest.route({
    method: 'POST',
    url: PATH,
    bodyLimit: BODY_BYTES,
    onRequest: (request, reply) => admit(request, reply, calls),
    errorHandler: sendProtocolError,
    handler: async (request, reply) => {
      const { authorization } = request.headers;
      const backend = agentBackend(calls, {
        arrival: mcpArrival(request),
        authorization,
        span: notesOf(request).span,
      });
      const handler = await opened();
      const options = { backend, version, publicError };
      const message = webRequest(request, reply);
      return sendResponse(reply, request, await handler.handle(message, options, request.body));
    },
  });
}

const mcpArrival = (request: FastifyRequest) =>
  ({ ...arrivalOf(request), transport: 'mcp' }) as const;

/** Throws unauthenticated, overloaded before the body is read. */
async function admit(request: FastifyRequest, reply: FastifyReply, calls: Calls): Promise<void> {
  const { authorization } = request.headers;
  const begun = await calls.begin('listIndexes', mcpArrival(request), authorization, undefined);
  const notes = notesOf(request);
  notes.subject = begun.principal?.subject;
  notes.tenant = begun.principal?.tenant;
  const { release } = begun;
  if (release !== undefined) onceClosed(reply, release);
}

/** The request as the SDK reads it: its own headers alone, no credentials. */
function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && (name === 'accept' || name.startsWith('mcp-'))) {
      headers.set(name, value);
    }
  }
  const controller = new AbortController();
  onceClosed(reply, () => {
    if (!reply.raw.writableEnded) controller.abort();
  });
  const { signal } = controller;
  return new Request(`http://localhost${PATH}`, { method: 'POST', headers, signal });
}

async function sendResponse(
  reply: FastifyReply,
  request: FastifyRequest,
  response: Response,
): Promise<FastifyReply> {
  reply.code(response.status);
  const type = response.headers.get('content-type');
  if (type !== null) reply.header('content-type', type);
  if (response.body === null) return reply.send();
  if (type?.startsWith('text/event-stream') === true) {
    return reply.send(Readable.fromWeb(response.body as never));
  }
  const text = await response.text();
  notesOf(request).bytesOut = Buffer.byteLength(text);
  return reply.send(text);
}

const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

/** Refusals before the protocol begins; those of a body are errors of JSON-RPC. */
function sendProtocolError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { error, status } = restError(thrown);
  const isBody = status === 413 || status === 415 || isParseError(thrown);
  if (!isBody) {
    sendError(request, reply, thrown);
    return;
  }
  notesOf(request).code = error.code;
  const code = status === 400 ? PARSE_ERROR : SERVER_ERROR;
  const body = { jsonrpc: '2.0', id: null, error: { code, message: error.message } };
  reply.code(status).header('content-type', 'application/json').send(JSON.stringify(body));
}

const isParseError = (error: unknown): boolean =>
  error instanceof LhsError && error.code === 'invalid_argument';
