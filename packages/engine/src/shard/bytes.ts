/**
 * The byte form of a shard's requests and answers, for worker threads and other machines. The
 * values are plain (bytes/value-bytes.ts). An answer is the result, or the error that the operation
 * threw.
 */
import { type ErrorPlace, LhsError } from '@lakehouse-search/contract';
import { valueFromBytes, valueToBytes } from '../base/bytes/value-bytes.ts';
import type { CollapsedDoc } from '../collect/collapse.ts';
import type { RankedDoc } from '../collect/order.ts';
import type { Awaitable, Shard, ShardHits, ShardOperation } from './shard.ts';

/** The request and the answer of an operation. */
export type RequestOf<Name extends ShardOperation> = Parameters<Shard[Name]>[0];
export type AnswerOf<Name extends ShardOperation> = Awaited<ReturnType<Shard[Name]>>;

/** A request as bytes. */
export function encodeRequest<Name extends ShardOperation>(
  name: Name,
  request: RequestOf<Name>,
): Uint8Array {
  return valueToBytes(`${name} request`, request);
}

/** The request of bytes that `encodeRequest` wrote. Throws unsupported. */
export function decodeRequest<Name extends ShardOperation>(
  name: Name,
  bytes: Uint8Array,
): RequestOf<Name> {
  return valueFromBytes(`${name} request`, bytes) as RequestOf<Name>;
}

/** The answer of an operation as bytes: its result, or the error that it throws. */
export async function encodeAnswer<Name extends ShardOperation>(
  name: Name,
  answer: () => Awaitable<AnswerOf<Name>>,
): Promise<Uint8Array> {
  try {
    return valueToBytes(`${name} answer`, { result: answerToPlain(name, await answer()) });
  } catch (error) {
    return valueToBytes(`${name} answer`, { error: errorToPlain(error) });
  }
}

/** The answer of bytes that `encodeAnswer` wrote. Throws the error that the operation threw. */
export function decodeAnswer<Name extends ShardOperation>(
  name: Name,
  bytes: Uint8Array,
): AnswerOf<Name> {
  const read = valueFromBytes(`${name} answer`, bytes) as { result: unknown; error?: PlainError };
  if (read.error !== undefined) throw errorFromPlain(read.error);
  return read.result as AnswerOf<Name>;
}

/** What a shard does with a request that came as bytes. */
export function answerBytes(
  shard: Shard,
  name: ShardOperation,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const operation = shard[name] as (request: unknown, signal?: AbortSignal) => never;
  return encodeAnswer(name, () => operation.call(shard, decodeRequest(name, bytes), signal));
}

/** Runs one operation of a shard somewhere else. */
export type RunOperation = <Name extends ShardOperation>(
  name: Name,
  request: RequestOf<Name>,
  signal?: AbortSignal,
) => Promise<AnswerOf<Name>>;

/** A shard whose operations all go through one function. */
export function shardFrom(run: RunOperation): Shard {
  const operation =
    <Name extends ShardOperation>(name: Name) =>
    (request: RequestOf<Name>, signal?: AbortSignal): Promise<AnswerOf<Name>> =>
      run(name, request, signal);
  return {
    statistics: operation('statistics'),
    search: operation('search'),
    nearest: operation('nearest'),
    aggregate: operation('aggregate'),
    suggest: operation('suggest'),
    keys: operation('keys'),
    explain: operation('explain'),
    fetch: operation('fetch'),
  };
}

/**
 * A shard behind a function that carries bytes to it and back, as to another machine.
 */
export const shardOver = (
  send: (name: ShardOperation, bytes: Uint8Array, signal?: AbortSignal) => Promise<Uint8Array>,
): Shard =>
  shardFrom(
    async <Name extends ShardOperation>(
      name: Name,
      request: RequestOf<Name>,
      signal?: AbortSignal,
    ): Promise<AnswerOf<Name>> =>
      decodeAnswer(name, await send(name, encodeRequest(name, request), signal)),
  );

/** The answer of an operation as plain values. */
export function answerToPlain(operation: ShardOperation, answer: unknown): unknown {
  if (operation !== 'search') return answer;
  const { docs, ...rest } = answer as ShardHits;
  return { ...rest, docs: docs.map(plainDoc) };
}

/** Documents of open segments read their keys when they are first needed. */
function plainDoc(found: RankedDoc | CollapsedDoc): RankedDoc | CollapsedDoc {
  const { segment, doc, score, values, key } = found;
  const plain = { segment, doc, score, values, key };
  return 'group' in found ? { ...plain, group: found.group, count: found.count } : plain;
}

/** An error as plain values. */
export interface PlainError extends Pick<LhsError, 'code' | 'message' | 'next' | 'details'> {
  readonly hint?: string;
  readonly place?: ErrorPlace;
}

/** Any error as plain values; one that is no `LhsError` becomes internal. */
export function errorToPlain(error: unknown): PlainError {
  if (!(error instanceof LhsError)) {
    return { code: 'internal', message: String(error), next: [], details: {} };
  }
  const { code, message, hint, next, place, details } = error;
  return {
    code,
    message,
    next,
    details,
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
  };
}

/** The error that `errorToPlain` was given. */
export function errorFromPlain({ code, message, ...rest }: PlainError): LhsError {
  return new LhsError(code, message, rest);
}
