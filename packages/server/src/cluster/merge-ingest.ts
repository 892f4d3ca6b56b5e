/** Merges of responses of operations that bring indexes in step with their tables. */
import { createHash } from 'node:crypto';
import type {
  ApplyResponse,
  CheckpointState,
  CompactResponse,
  Healed,
  IndexStatus,
  ReindexResponse,
  SkippedRows,
  SyncResponse,
  UpgradeResponse,
  VectorCounts,
  VerifyResponse,
} from '@lakehouse-search/contract';
import { REQUEST_LIMITS } from '@lakehouse-search/contract/internal';
import {
  firstFailure,
  liveIfAny,
  mergeGenerations,
  mergeShards,
  mergeWindowList,
} from './merge-descriptions.ts';
import {
  byName,
  common,
  concatenated,
  distinct,
  every,
  first,
  largest,
  type Merge,
  type Merges,
  members,
  smallest,
  sum,
  sumsByName,
} from './merge-members.ts';

const VECTOR_COUNTS: Merges<VectorCounts> = {
  embeddings: members<NonNullable<VectorCounts['embeddings']>>({ reused: sum, computed: sum }),
  without_vector: sumsByName,
};

/** A row that is skipped may have no key, so no shard: every node counts all of them. */
const SKIPPED_ROWS: Merges<SkippedRows> = { skipped_rows: largest, first_skipped_rows: first };

export const mergeReindex = members<ReindexResponse>({
  ...VECTOR_COUNTS,
  ...SKIPPED_ROWS,
  doc_count: sum,
  snapshot: first,
  index_generation: largest,
  bytes: sum,
  took_ms: largest,
  resumed_docs: sum,
  dropped_duplicates: sum,
  untyped_values: sumsByName,
});

const CHANGES = { inserted: sum, updated: sum, deleted: sum };

export const mergeSync = members<SyncResponse>({
  ...VECTOR_COUNTS,
  ...SKIPPED_ROWS,
  ...CHANGES,
  doc_count: sum,
  snapshot: first,
  index_generation: largest,
  snapshots_applied: largest,
  skipped_replace: largest,
  took_ms: largest,
  dropped_duplicates: sum,
  healed: members<Healed>({ reason: first, ...CHANGES }),
  fallen_behind: byName(({ generation }) => generation, first),
  published_commit: largest,
});

export const mergeApplied = members<ApplyResponse>({
  ...SKIPPED_ROWS,
  ...CHANGES,
  applied: every,
  snapshot: first,
  doc_count: sum,
});

/** Of the node that is furthest behind, with the snapshots that all have applied. */
export const mergeCheckpoint = members<CheckpointState>({
  snapshot_id: first,
  ref: first,
  sequence: first,
  schema: first,
  files: first,
  table_uuid: first,
  applied: common,
  columns: first,
  key_columns: first,
  index_generation: largest,
});

const mergeStatusOf = members<IndexStatus>({
  ...SKIPPED_ROWS,
  index: first,
  status: liveIfAny,
  index_generation: largest,
  num_docs: sum,
  deleted_docs: sum,
  segments: sum,
  bytes: sum,
  shards: mergeShards,
  windows: mergeWindowList,
  generations: mergeGenerations,
  pending_merges: sum,
  published: first,
  merge_failure: firstFailure,
  missing_shards: distinct,
  lacking_copies: distinct,
  synced_by: first,
  sync_failure: firstFailure,
  checkpoint: first,
  jobs: concatenated,
  writer: first,
  head: first,
  source_error: first,
  lag: first,
  heals: first,
  history: first,
});

/** Members that are no counts are those of the node that is furthest behind the table. */
export const mergeStatus: Merge<IndexStatus> = (all) =>
  mergeStatusOf(all.toSorted((a, b) => (b.lag?.snapshots ?? 0) - (a.lag?.snapshots ?? 0)));

type Digest = VerifyResponse['digest'];

/** Equal on both sides exactly if all nodes' are. */
const mergeDigests: Merge<Digest> = (digests) => {
  const hash = (texts: readonly string[]) =>
    createHash('sha256').update(texts.join('\n')).digest('hex');
  return {
    index: hash(digests.map(({ index }) => index)),
    table: hash(digests.map(({ table }) => table)),
  };
};

const shownKeys = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
  distinct(lists).slice(0, REQUEST_LIMITS.driftedKeysShown);

export const mergeVerify = members<VerifyResponse>({
  equal: every,
  snapshot: first,
  index_generation: largest,
  rows_compared: sum,
  skipped_rows: largest,
  doc_count: sum,
  missing: sum,
  extra: sum,
  stale: sum,
  keys: members<VerifyResponse['keys']>({
    missing: shownKeys,
    extra: shownKeys,
    stale: shownKeys,
  }),
  digest: mergeDigests,
  buckets: largest,
  buckets_drifted: sum,
  faults: concatenated,
  deep_documents: sum,
  sampled: first,
  repaired: members<NonNullable<VerifyResponse['repaired']>>({
    added: sum,
    replaced: sum,
    deleted: sum,
  }),
  took_ms: largest,
});

export const mergeUpgrade = members<UpgradeResponse>({
  format_before: smallest,
  format_after: largest,
  segments: sum,
  segments_upgraded: sum,
  bytes_rewritten: sum,
  bytes_before: sum,
  bytes_after: sum,
  took_ms: largest,
});

export const mergeCompact = members<CompactResponse>({
  segments_before: sum,
  segments_after: sum,
  bytes_before: sum,
  bytes_after: sum,
  orphans: members<NonNullable<CompactResponse['orphans']>>({ removed: sum, bytes: sum }),
  took_ms: largest,
});
