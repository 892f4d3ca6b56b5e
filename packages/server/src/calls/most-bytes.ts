import type { WireMethod } from '@lakehouse-search/client/internal';

const REQUEST_BYTES = 1024 * 1024;
/** Of a request of a caller whom nobody knows. */
const LOGIN_BYTES = 16 * 1024;
/** Of a change batch; over gRPC, of each of its messages. */
export const BATCH_BYTES = 64 * 1024 * 1024;

/** Bytes of a request of a method, at most. */
export function mostBytesOf({ operation, route }: WireMethod): number {
  if (route.stream === 'requests') return BATCH_BYTES;
  return operation === 'login' ? LOGIN_BYTES : REQUEST_BYTES;
}
