import type { Coordinates } from '../coordinates.ts';

/** `POST /v1/keys:get`. */
export interface KeysRequest {
  readonly index?: string;
  readonly keys: readonly Coordinates[];
  readonly columns?: readonly string[];
}
