import type { FastifyReply, FastifyRequest } from 'fastify';
import { compress, type Encoding, encodingFor } from './compress.ts';
import { notesOf } from './rest-call.ts';
import { JSON_TYPE } from './send-error.ts';

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
  return encoding === undefined ? reply.send(text) : sendCompressed(reply, text, encoding);
}

async function sendCompressed(
  reply: FastifyReply,
  text: string,
  encoding: Encoding,
): Promise<FastifyReply> {
  const body = await compress(text, encoding);
  return reply.header('content-encoding', encoding).header('vary', 'accept-encoding').send(body);
}
