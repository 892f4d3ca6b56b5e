import type { Coordinates } from '../coordinates.ts';

/** `POST /v1/keys:get`. */
export interface KeysRequest {
  readonly index?: string | undefined;
  readonly keys: readonly Coordinates[];
  readonly columns?: readonly string[] | undefined;
  /**
   * A snapshot, branch or tag of the table whose rows are read. Default: what the index follows.
   * Not for the callers of a tenant.
   */
  readonly as_of?: string | undefined;
}
