import type { Coordinates } from '../coordinates.ts';
import type { ErrorCode } from '../errors.ts';
import type {
  GenerationDescription,
  MergeFailure,
  PublishedState,
  SyncFailure,
} from '../generation-description.ts';
import type { SyncedBy } from '../next-step.ts';
import type { LackingCopies, ShardDescription } from '../shard-description.ts';
import type { WindowList } from '../window-description.ts';

/** What became of VECTOR fields in the documents that were added. */
export interface VectorCounts {
  /**
   * Vectors of texts: taken from the cache (or from another row with that text), and made by a
   * model. Absent if there was no text.
   */
  readonly embeddings?: { readonly reused: number; readonly computed: number };
  /** Documents without a vector, by field; absent if all have one. */
  readonly without_vector?: Readonly<Record<string, number>>;
}

/** A row of the table that has no document. */
export interface SkippedRow {
  /** Absent if a column of its key is NULL. */
  readonly key?: string;
  readonly file: string;
  readonly position: number;
  readonly reason: string;
}

/** Rows without a document, because a value cannot be indexed (`on_bad_row: skip`). */
export interface SkippedRows {
  /** All of the index's snapshot; absent if there is none. */
  readonly skipped_rows?: number;
  /** The first of them, at most `REQUEST_LIMITS.skippedRowsShown`. */
  readonly first_skipped_rows?: readonly SkippedRow[];
}

/** What a reindex made. */
export interface ReindexResponse extends VectorCounts, SkippedRows {
  readonly doc_count: number;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly bytes: number;
  readonly took_ms: number;
  /** Documents that a resumed build found; `embeddings` and the like do not count them. */
  readonly resumed_docs?: number;
  /** Rows that lost to another row of their key (`on_duplicate_key: last`). */
  readonly dropped_duplicates?: number;
  /**
   * Variant values that fit no typed field of their shape, by field: they stay findable in the
   * flattened column. By the column's name: leaves beyond the limits of its path terms.
   */
  readonly untyped_values?: Readonly<Record<string, number>>;
}

/** Why a sync went to the table's state in one step instead of snapshot by snapshot. */
export type HealReason =
  /** The checkpoint's snapshot is no longer in the table's metadata. */
  | 'snapshot_expired'
  /** The table is at an ancestor of the checkpoint's snapshot. */
  | 'rolled_back'
  /** The definition follows another branch or tag than before. */
  | 'ref_changed'
  /**
   * The checkpoint's snapshot is there, but on no way to the table's (cherry-pick, overwritten
   * branch).
   */
  | 'diverged'
  /** Files of a snapshot on the way are gone. */
  | 'files_missing'
  /** A snapshot on the way has rows that cannot be indexed, as two of one key. */
  | 'snapshot_invalid';

/** What was done to an index whose checkpoint is not on the way to the table's snapshot. */
export interface Healed {
  readonly reason: HealReason;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

/** What a sync applied; the counts are of all its steps, healing included. */
export interface SyncResponse extends VectorCounts, SkippedRows {
  readonly doc_count: number;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly snapshots_applied: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly skipped_replace: number;
  readonly took_ms: number;
  /** As for a reindex. */
  readonly dropped_duplicates?: number;
  readonly healed?: Healed;
  /** Kept generations that could not be brought along, with the reason. Absent: none. */
  readonly fallen_behind?: readonly FallenBehind[];
  /** The last commit that the sync wrote in the store of the index. Absent: none. */
  readonly published_commit?: number;
}

/** A kept generation that a sync could not bring along. The live one is not affected. */
export interface FallenBehind {
  readonly generation: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** The result of a change batch. A row that only moved to another file is not counted. */
export interface ApplyResponse extends SkippedRows {
  /** false: the batch was applied before; nothing was done. */
  readonly applied: boolean;
  /** The snapshot of the index now. */
  readonly snapshot: string | null;
  readonly doc_count: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

/** The events of a follower: one per commit, and one per obstacle. */
export type FollowEvent =
  | {
      readonly event: 'commit';
      /** ISO 8601, UTC. */
      readonly at: string;
      /** null: the table has no snapshot any more. */
      readonly snapshot: string | null;
      /** null too for several snapshots. */
      readonly operation: string | null;
      /** How many snapshots the commit applies, if several. */
      readonly snapshots?: number;
      readonly inserted: number;
      readonly updated: number;
      readonly deleted: number;
      readonly took_ms: number;
      readonly healed?: Healed;
      readonly embeddings?: VectorCounts['embeddings'];
      readonly without_vector?: VectorCounts['without_vector'];
      readonly skipped_rows?: SkippedRows['skipped_rows'];
      readonly first_skipped_rows?: SkippedRows['first_skipped_rows'];
    }
  /** Segments were merged; nothing else changed. */
  | {
      readonly event: 'merge';
      readonly at: string;
      readonly segments_before: number;
      readonly segments_after: number;
      readonly took_ms: number;
    }
  /**
   * A merge failed. Its segments stay, and later merges try again after ever more commits. Sent
   * once until a merge succeeds.
   */
  | {
      readonly event: 'merge_failed';
      readonly at: string;
      readonly code: string;
      readonly message: string;
    }
  /** A window became older than the definition keeps hot: a job moved it to the store. */
  | {
      readonly event: 'windows_moved';
      readonly at: string;
      readonly cooled: readonly string[];
      readonly bytes_copied: number;
      readonly took_ms: number;
    }
  /** The job failed or was canceled. The window stays as it was, for an hour at least. */
  | {
      readonly event: 'windows_failed';
      readonly at: string;
      readonly code: string;
      readonly message: string;
    }
  /**
   * The index is at the head; the follower polls every `every_ms`. Sent once until the next commit.
   */
  | { readonly event: 'waiting'; readonly at: string; readonly every_ms: number }
  /** The table cannot be reached, or another process writes the index: it tries again. */
  | {
      readonly event: 'retry';
      readonly at: string;
      readonly code: string;
      readonly message: string;
      readonly in_ms: number;
    };

/** `lhs index status`, `GET /v1/ingestion/{name}`: how far the index is behind its table. */
export interface IndexStatus extends SkippedRows {
  readonly index: string;
  readonly status: 'created' | 'live';
  readonly index_generation: number;
  readonly num_docs: number;
  readonly deleted_docs: number;
  readonly segments: number;
  readonly bytes: number;
  /** Absent before the first reindex. */
  readonly shards?: readonly ShardDescription[];
  /** Absent before the first reindex, and if the index has no windows. */
  readonly windows?: WindowList;
  /** The live generation and the kept ones. Absent before the first reindex. */
  readonly generations?: readonly GenerationDescription[];
  /** Merges that are due. */
  readonly pending_merges: number;
  /** Absent if its commits are in the data folder alone. */
  readonly published?: PublishedState;
  /** Present while the last merge of segments failed. */
  readonly merge_failure?: MergeFailure;
  /** Shards of a cluster that no node has at the snapshot that searches see. Absent: none. */
  readonly missing_shards?: readonly number[];
  /** Shards of a cluster that fewer nodes have than `replicas` requires. Absent: none. */
  readonly lacking_copies?: readonly LackingCopies[];
  /** Present if its caller cannot sync it. */
  readonly synced_by?: SyncedBy;
  /** Present after a sync that failed, until one succeeds. */
  readonly sync_failure?: SyncFailure;
  readonly checkpoint: { readonly snapshot: string | null; readonly committed_at: string } | null;
  /** Jobs of the index that have not ended. Absent: none. */
  readonly jobs?: readonly {
    readonly job_id: string;
    readonly kind: string;
    readonly state: string;
  }[];
  /** The process that writes the index now. */
  readonly writer?: { readonly pid: number; readonly host: string };
  /** Absent if the table cannot be reached; then `source_error` has the reason. */
  readonly head?: { readonly snapshot: string | null; readonly at: string | null };
  readonly source_error?: { readonly code: string; readonly message: string };
  /**
   * Absent if it is not known. `rows`: rows that the snapshots in between added, replaced and
   * deleted, as their summaries count them. `seconds`: age of the first snapshot that is missing.
   */
  readonly lag?: {
    readonly snapshots: number;
    readonly rows: { readonly added: number; readonly deleted: number } | null;
    readonly seconds: number;
  };
  /** What the next sync will do instead of stepping through snapshots. */
  readonly heals?: HealReason;
  /**
   * The table's retention policy, and when the checkpoint's snapshot may expire. Absent if neither
   * table nor branch sets a policy, or if the table keeps everything.
   */
  readonly history?: {
    readonly max_age_ms: number;
    readonly min_snapshots: number;
    /** ISO 8601; null: not while it is among the newest, or a tag holds it. */
    readonly checkpoint_expires_at: string | null;
    readonly at_risk: boolean;
  };
}

/** What verify found. `equal`: no drift and no fault. */
export interface VerifyResponse {
  readonly equal: boolean;
  readonly snapshot: string | null;
  readonly index_generation: number;
  /** Rows of the table that were compared. */
  readonly rows_compared: number;
  /** Rows that were read and have no document by rule (`on_bad_row: skip`); absent: none. */
  readonly skipped_rows?: number;
  readonly doc_count: number;
  readonly missing: number;
  readonly extra: number;
  readonly stale: number;
  /** At most `REQUEST_LIMITS.driftedKeysShown` of each kind. */
  readonly keys: {
    readonly missing: readonly Coordinates[];
    readonly extra: readonly Coordinates[];
    readonly stale: readonly Coordinates[];
  };
  /**
   * Content digests (hex) over all keys and row hashes, of both sides; equal when nothing drifted.
   */
  readonly digest: { readonly index: string; readonly table: string };
  /** Buckets (of `buckets`) whose digests differ. */
  readonly buckets: number;
  readonly buckets_drifted: number;
  /** What is wrong inside the index's own structures. */
  readonly faults: readonly string[];
  /** Documents that were compared with their rows indexed again. Only with `deep`. */
  readonly deep_documents?: number;
  /** Only with `sample`. */
  readonly sampled?: true;
  readonly repaired?: {
    readonly added: number;
    readonly replaced: number;
    readonly deleted: number;
  };
  readonly took_ms: number;
}

/** What an upgrade of the disk format did, or would do. */
export interface UpgradeResponse {
  /** Format that the index has, or had before the upgrade: that of its oldest segment. */
  readonly format_before: number;
  /** Format that this version writes. */
  readonly format_after: number;
  /** All segments of the index. */
  readonly segments: number;
  /** Segments that were rewritten; of a plan, those that would be. */
  readonly segments_upgraded: number;
  /** Bytes of the files that are rewritten. */
  readonly bytes_rewritten: number;
  /** Bytes of all segments. */
  readonly bytes_before: number;
  /** Absent in a plan. */
  readonly bytes_after?: number;
  readonly took_ms: number;
}

/** What compacting did. */
export interface CompactResponse {
  readonly segments_before: number;
  readonly segments_after: number;
  readonly bytes_before: number;
  readonly bytes_after: number;
  /** Files that nobody needed and that were removed; absent: there were none. */
  readonly orphans?: { readonly removed: number; readonly bytes: number };
  readonly took_ms: number;
}
