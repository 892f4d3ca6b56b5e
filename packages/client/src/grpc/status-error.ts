import { type ServiceError, status } from '@grpc/grpc-js';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { decodeError, errorOf } from '../wire/error-detail.ts';

/** Statuses that a channel or a proxy makes, without details of ours. */
const CODES: Readonly<Partial<Record<status, ErrorCode>>> = {
  [status.CANCELLED]: 'interrupted',
  [status.DEADLINE_EXCEEDED]: 'deadline_exceeded',
  [status.UNAVAILABLE]: 'unreachable',
  [status.RESOURCE_EXHAUSTED]: 'overloaded',
  [status.UNAUTHENTICATED]: 'unauthenticated',
  [status.PERMISSION_DENIED]: 'permission_denied',
  [status.UNIMPLEMENTED]: 'unsupported',
  [status.INVALID_ARGUMENT]: 'invalid_argument',
};

/** The error that a status of gRPC describes. */
export function errorOfStatus(error: unknown): LhsError {
  if (error instanceof LhsError) return error;
  const { code, details, metadata } = error as ServiceError;
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  const known = bytes instanceof Uint8Array ? decodeError(bytes) : undefined;
  if (known !== undefined) return errorOf(known);
  const message = code === status.CANCELLED ? 'interrupted' : (details ?? String(error));
  return new LhsError(CODES[code] ?? 'internal', message, { cause: error });
}
