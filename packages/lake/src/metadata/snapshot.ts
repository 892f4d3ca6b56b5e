/** A snapshot as the table's metadata has it. */
export interface Snapshot {
  readonly id: bigint;
  readonly parentId: bigint | null;
  readonly sequenceNumber: bigint;
  /** Milliseconds since 1970. */
  readonly timestampMs: number;
  readonly operation: string | null;
  readonly summary: Readonly<Record<string, string>>;
  readonly schemaId: number | null;
}

/** A branch or a tag. */
export interface SnapshotRef {
  readonly name: string;
  readonly kind: 'branch' | 'tag';
  readonly snapshotId: bigint;
  /** How long the table keeps it, if set (format/spec.md, "Snapshot Retention Policy"). */
  readonly retention?: RefRetention;
}

/** Retention of a branch or tag; the table's properties replace absent values. */
export interface RefRetention {
  /** Branches: number of snapshots to keep at any age. */
  readonly minSnapshots?: number;
  /** Branches: snapshots younger than this are kept. */
  readonly maxSnapshotAgeMs?: number;
  /** The ref itself is removed when its snapshot is older than this. */
  readonly maxRefAgeMs?: number;
}

/** A snapshot with what leads to its files. */
export interface SnapshotEntry extends Snapshot {
  /**
   * Path of the manifest list as recorded; null in v1 snapshots that list their manifests inline.
   */
  readonly manifestList: string | null;
  /** Paths of inline manifests (v1 only), else null. */
  readonly manifests: readonly string[] | null;
  /** v3 row lineage: the first row id that the snapshot assigned, and how many. */
  readonly firstRowId: bigint | null;
  readonly addedRows: bigint | null;
  /**
   * The key that encrypts the manifest list, if there is one (then the snapshot is refused when
   * read).
   */
  readonly keyId: string | null;
}
