import type { Value } from '../schema/type.ts';

/**
 * One live data file of a snapshot, as in its manifest entry (after inheritance). Paths are as
 * recorded.
 */
export interface DataFile {
  readonly path: string;
  readonly format: 'parquet' | 'avro' | 'orc';
  readonly specId: number;
  readonly partition: readonly Value[];
  readonly recordCount: number;
  readonly fileSize: number;
  /** Data sequence number (0 in v1) and file sequence number. */
  readonly dataSequence: bigint;
  readonly fileSequence: bigint;
  readonly addedSnapshotId: bigint;
  readonly firstRowId: bigint | null;
  /**
   * Raw single-value bytes by field id (spec, Appendix D), null counts and value counts by field
   * id.
   */
  readonly lowerBounds: ReadonlyMap<number, Uint8Array>;
  readonly upperBounds: ReadonlyMap<number, Uint8Array>;
  readonly nullCounts: ReadonlyMap<number, bigint>;
  readonly valueCounts: ReadonlyMap<number, bigint>;
  /**
   * NaN counts by field id, for float and double columns; absent if the writer did not count.
   */
  readonly nanCounts?: ReadonlyMap<number, bigint>;
  /** Stored bytes by field id of leaf columns; absent or empty if the writer did not record them. */
  readonly columnSizes?: ReadonlyMap<number, bigint>;
}

/** A file of deletes of one snapshot. */
export type DeleteFile = {
  readonly path: string;
  readonly specId: number;
  readonly partition: readonly Value[];
  readonly recordCount: number;
  readonly fileSize: number;
  readonly dataSequence: bigint;
} & (
  | {
      readonly kind: 'position';
      readonly format: 'parquet' | 'avro' | 'orc';
      /** The only data file that it refers to, if the entry names one. */
      readonly referencedDataFile: string | null;
      /** Recorded bounds of file_path inside the delete file; both may be cut. */
      readonly pathBounds?: { readonly lower: string; readonly upper: string } | null;
    }
  | {
      readonly kind: 'equality';
      readonly format: 'parquet' | 'avro' | 'orc';
      readonly equalityIds: readonly number[];
    }
  | {
      readonly kind: 'vector';
      readonly format: 'puffin';
      readonly referencedDataFile: string;
      readonly contentOffset: number;
      readonly contentSize: number;
    }
);

/**
 * A data file and every delete file that applies to it (scope, sequence numbers and vectors
 * already decided).
 */
export interface FileScan {
  readonly data: DataFile;
  readonly deletes: readonly DeleteFile[];
}

/** What a snapshot is made of. Order: as in the manifests. */
export interface FileSet {
  readonly snapshotId: bigint | null;
  readonly files: readonly FileScan[];
}
