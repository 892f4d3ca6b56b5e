import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { unreachable } from '../remote/unreachable.ts';
import { decodeError, errorOf } from '../wire/error-detail.ts';

/** Statuses of gRPC that a channel or a proxy makes, without details of ours. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map([
  [1, 'interrupted'],
  [3, 'invalid_argument'],
  [4, 'deadline_exceeded'],
  [7, 'permission_denied'],
  [8, 'overloaded'],
  [12, 'unsupported'],
  [14, 'unreachable'],
  [16, 'unauthenticated'],
]);
const CANCELLED = 1;

/** A status of gRPC other than OK, as grpc-js reports it too. */
interface FailedStatus {
  readonly code: number;
  readonly details?: string;
  readonly metadata?: { get(name: string): readonly unknown[] };
}

/** The error that a status of gRPC describes. */
export function errorOfStatus(error: unknown): LhsError {
  if (error instanceof LhsError) return error;
  const { code, details, metadata } = error as FailedStatus;
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  const known = bytes instanceof Uint8Array ? decodeError(bytes) : undefined;
  if (known !== undefined) return errorOf(known);
  const message = code === CANCELLED ? 'the call was aborted' : (details ?? String(error));
  return new LhsError(CODES.get(code) ?? 'internal', message, { cause: error });
}

/** What grpc-js says of a connection that it could not make, or has lost. */
const UNMADE = /^(No connection established|Name resolution failed)/;
const LOST = 'Connection dropped';

/** The error of a call of grpc-js to `address`, as the other calls of this client word it. */
export function errorOfStream(error: unknown, address: string): LhsError {
  const failed = errorOfStatus(error);
  const { message, cause } = failed;
  if (message === LOST) {
    return new LhsError('unreachable', `lost "${address}": the connection has ended`, { cause });
  }
  if (!UNMADE.test(message)) return failed;
  const [, last] = /Last error: (?:\w*Error: )?(.+?)\.? Resolution note/.exec(message) ?? [];
  const [code] = /\bE[A-Z_]{4,}\b/.exec(message) ?? [];
  const reason = code ?? last ?? 'no connection was made';
  return unreachable(address, reason, { details: { sent: false }, cause });
}
