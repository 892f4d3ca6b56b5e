import { errorBody, LhsError } from '@lakehouse-search/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusedCaller } from '../calls/calls.ts';
import { publicError } from '../calls/public-error.ts';
import { notesOf, type RestCall } from './rest-call.ts';

/** Refusals of the HTTP server itself, which keep their status. */
const HTTP_STATUSES: ReadonlySet<number> = new Set([405, 408, 413, 414, 415, 431]);

/** The error that a client of REST sees, and its HTTP status. */
export function restError(error: unknown): { readonly error: LhsError; readonly status: number } {
  const status = statusOf(error);
  if (status !== undefined) {
    const code = status === 413 ? 'limit_exceeded' : 'invalid_argument';
    return { error: new LhsError(code, wordsOf(status, error), { cause: error }), status };
  }
  const known = publicError(error);
  return { error: known, status: known.status };
}

/** The status of a refusal by the HTTP server; 400 covers what it cannot parse. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof LhsError || !(error instanceof Error) || !('statusCode' in error)) {
    return undefined;
  }
  const status = Number(error.statusCode);
  if (HTTP_STATUSES.has(status)) return status;
  return status >= 400 && status < 500 ? 400 : undefined;
}

function wordsOf(status: number, error: unknown): string {
  if (status === 413) return 'the body is larger than this operation accepts';
  if (status === 415) return 'the body has another type: send "content-type: application/json"';
  const { message } = error as Error;
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** Answers with an error. */
export function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  const { error, status } = restError(thrown);
  const notes = notesOf(request);
  notes.code = error.code;
  noteRefused(notes, thrown);
  if (error.cause !== undefined) notes.cause = error.cause;
  const { retry_after_s } = error.details;
  if (typeof retry_after_s === 'number') reply.header('retry-after', Math.ceil(retry_after_s));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  const body = errorBody(error);
  const text = JSON.stringify({ error: { ...body.error, status } });
  notes.bytesOut = Buffer.byteLength(text);
  reply.code(status).header('content-type', JSON_TYPE).send(text);
}

/** Notes the caller to whom a call was refused before it began. */
export function noteRefused(notes: RestCall, thrown: unknown): void {
  const { subject, tenant } = refusedCaller(thrown) ?? {};
  notes.subject ??= subject;
  notes.tenant ??= tenant;
}

/** The content type of all JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';
