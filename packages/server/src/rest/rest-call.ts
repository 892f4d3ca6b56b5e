import type { Operation } from '@lakehouse-search/contract/internal';
import type { RepeatedRequest } from '@lakehouse-search/engine/internal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Arrival } from '../access/access.ts';
import type { CallRecord } from '../observe/observer.ts';
import { type Span, spanRecord } from '../observe/trace-context.ts';

/** What a REST call notes about itself for its record. */
export interface RestCall {
  operation?: Operation;
  index?: string;
  subject?: string;
  tenant?: string;
  code?: CallRecord['code'];
  cause?: unknown;
  bytesOut: number;
  /** What is sent has been complete; it may not have reached the client. */
  isAnswered?: boolean;
  isRecorded?: boolean;
  /** The body, if its request may be repeated. */
  body?: string;
  /** The request that the body is known to hold. */
  repeated?: RepeatedRequest;
  readonly began: number;
  readonly span: Span;
}

/** The notes of a request. */
export const NOTES = Symbol('notes of a call');

/** A request that carries its notes. */
export interface NotedRequest extends FastifyRequest {
  [NOTES]: RestCall;
}

/** The notes of a request. */
export const notesOf = (request: FastifyRequest): RestCall => (request as NotedRequest)[NOTES];

/** A REST request as authentication sees it. */
export const arrivalOf = (request: FastifyRequest): Arrival => ({
  request_id: request.id,
  remote: request.ip,
  transport: 'rest',
});

/** The record of a call that has ended. */
export function restRecord(request: FastifyRequest, reply: FastifyReply): CallRecord {
  const { began, bytesOut, span, operation, index, subject, tenant, code, cause } =
    notesOf(request);
  return {
    ...{ operation, index, subject, tenant, code, cause },
    ...spanRecord(span),
    ...arrivalOf(request),
    status: reply.statusCode,
    micros: Math.round((performance.now() - began) * 1000),
    bytes_in: Number(request.headers['content-length'] ?? 0),
    bytes_out: bytesOut,
  };
}
