import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import { encodeError } from '@lakehouse-search/client/internal';
import { ERROR_CODES, errorBody } from '@lakehouse-search/contract';
import { publicError } from '../calls/public-error.ts';

/** The metadata key of `google.rpc.Status`. */
const DETAILS_KEY = 'grpc-status-details-bin';

/** An error as a gRPC status with details. */
export function statusOf(thrown: unknown): StatusObject & Error {
  const error = publicError(thrown);
  const code = status[ERROR_CODES[error.code].grpc];
  const metadata = new Metadata();
  metadata.set(DETAILS_KEY, Buffer.from(encodeError(code, errorBody(error).error)));
  const { retry_after_s } = error.details;
  if (typeof retry_after_s === 'number') metadata.set('retry-after', String(retry_after_s));
  // grpc-js percent-encodes details, which throws for half a character
  const details = error.message.toWellFormed();
  return Object.assign(new Error(error.message), { code, details, metadata });
}
