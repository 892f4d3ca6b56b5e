import type { Coordinates } from '../coordinates.ts';
import type { IndexRequest } from '../index-request.ts';
import type { JsonObject } from '../json.ts';

/** `POST /v1/erasure:check`: where data of rows that were deleted from the table still remains. */
export interface ErasureCheckRequest extends IndexRequest {
  /** The rows, by key. At least one. */
  readonly keys: readonly Coordinates[];
  /**
   * Texts that the rows held: their vectors are looked for in the embedding cache, and the texts in
   * saved queries and files. Texts of rows that older snapshots of the table hold are found without
   * this.
   */
  readonly texts?: readonly string[] | undefined;
  /** Also search the bytes of all files of the data folder for key values and `texts`. */
  readonly deep?: boolean | undefined;
  /**
   * Backup targets to examine: absolute folders or `s3://bucket/prefix`. The backup target of the
   * backend is always examined.
   */
  readonly backups?: readonly string[] | undefined;
}

/** `POST /v1/erasure:run`: removes what a check finds. */
export interface ErasureRunRequest extends ErasureCheckRequest {
  /** Close points in time that still need the data. Without it they end when they expire. */
  readonly close_pits?: boolean | undefined;
  /** Make a new backup in each target and delete the backups that hold the data. */
  readonly replace_backups?: boolean | undefined;
}

/** `POST /v1/erasure:verify`: whether a receipt is genuine, and which keys it covers. */
export interface VerifyReceiptRequest {
  /** The receipt as `erasure:run` returned it. */
  readonly receipt: JsonObject;
  /** PEM (SPKI). Absent: the key of this backend. */
  readonly public_key?: string | undefined;
  readonly keys?: readonly Coordinates[] | undefined;
}
