import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
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
  const message = code === CANCELLED ? 'interrupted' : (details ?? String(error));
  return new LhsError(CODES.get(code) ?? 'internal', message, { cause: error });
}
