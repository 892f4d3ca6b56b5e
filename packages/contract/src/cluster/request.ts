import type { IndexRequest } from '../index-request.ts';

/** `POST /v1/index:activity`. Without `index`: of all indexes. */
export interface ActivityRequest extends IndexRequest {
  /** Entries at most, 100 by default. */
  readonly limit?: number | undefined;
}

/** `GET /v1/indexes/{name}`. */
export interface RoutingRequest {
  readonly index: string;
}
