import type { FastifyReply, FastifyRequest } from 'fastify';
import { encodingFor, sendBytes } from './compress.ts';
import { notesOf } from './rest-call.ts';
import { JSON_TYPE } from './send-error.ts';

/** Texts that are encoded at once. */
const SHORT_CHARS = 64 * 1024;

/** Answers with JSON text, compressed if the client accepts that. */
export function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  text: string,
): FastifyReply | Promise<FastifyReply> {
  notesOf(request).bytesOut = text.length;
  reply.code(status).header('content-type', JSON_TYPE);
  const encoding = encodingFor(request.headers['accept-encoding'], text.length);
  const isShort = encoding === undefined && text.length < SHORT_CHARS;
  return isShort ? reply.send(text) : sendBytes(reply, text, encoding);
}
