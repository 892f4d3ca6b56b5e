import type { FastifyReply, FastifyRequest } from 'fastify';
import { compress, encodingFor } from './compress.ts';
import { notesOf } from './rest-call.ts';
import { JSON_TYPE } from './send-error.ts';

/** Answers with JSON text, compressed if the client accepts that. */
export async function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  text: string,
): Promise<FastifyReply> {
  notesOf(request).bytesOut = text.length;
  reply.code(status).header('content-type', JSON_TYPE);
  const encoding = encodingFor(request.headers['accept-encoding'], text.length);
  if (encoding === undefined) return reply.send(text);
  const body = await compress(text, encoding);
  return reply.header('content-encoding', encoding).header('vary', 'accept-encoding').send(body);
}
