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
  each,
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
  ...each(sum, 'doc_count', 'bytes', 'resumed_docs', 'dropped_duplicates'),
  ...each(largest, 'index_generation', 'took_ms'),
  snapshot: first,
  ...VECTOR_COUNTS,
  ...SKIPPED_ROWS,
  untyped_values: sumsByName,
});

const CHANGES = { inserted: sum, updated: sum, deleted: sum };

export const mergeSync = members<SyncResponse>({
  ...each(sum, 'doc_count', 'dropped_duplicates'),
  ...each(largest, 'index_generation', 'snapshots_applied', 'skipped_replace', 'took_ms'),
  ...each(largest, 'published_commit'),
  snapshot: first,
  ...VECTOR_COUNTS,
  ...SKIPPED_ROWS,
  ...CHANGES,
  healed: members<Healed>({ reason: first, ...CHANGES }),
  fallen_behind: byName(({ generation }) => generation, first),
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
  ...each(first, 'snapshot_id', 'ref', 'sequence', 'schema', 'files', 'table_uuid', 'columns'),
  ...each(first, 'key_columns'),
  index_generation: largest,
  applied: common,
});

const mergeStatusOf = members<IndexStatus>({
  ...each(first, 'index', 'published', 'synced_by', 'checkpoint', 'writer', 'head', 'source_error'),
  ...each(first, 'lag', 'heals', 'history'),
  ...each(sum, 'num_docs', 'deleted_docs', 'segments', 'bytes', 'pending_merges'),
  ...each(distinct, 'missing_shards', 'lacking_copies'),
  index_generation: largest,
  jobs: concatenated,
  ...SKIPPED_ROWS,
  status: liveIfAny,
  shards: mergeShards,
  windows: mergeWindowList,
  generations: mergeGenerations,
  merge_failure: firstFailure,
  sync_failure: firstFailure,
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
  ...each(first, 'snapshot', 'sampled'),
  ...each(largest, 'index_generation', 'skipped_rows', 'buckets', 'took_ms'),
  ...each(sum, 'rows_compared', 'doc_count', 'missing', 'extra', 'stale', 'buckets_drifted'),
  ...each(sum, 'deep_documents'),
  equal: every,
  faults: concatenated,
  keys: members<VerifyResponse['keys']>({
    missing: shownKeys,
    extra: shownKeys,
    stale: shownKeys,
  }),
  digest: mergeDigests,
  repaired: members<NonNullable<VerifyResponse['repaired']>>({
    added: sum,
    replaced: sum,
    deleted: sum,
  }),
});

export const mergeUpgrade = members<UpgradeResponse>({
  ...each(largest, 'format_after', 'took_ms'),
  ...each(sum, 'segments', 'segments_upgraded', 'bytes_rewritten', 'bytes_before', 'bytes_after'),
  format_before: smallest,
});

export const mergeCompact = members<CompactResponse>({
  ...each(sum, 'segments_before', 'segments_after', 'bytes_before', 'bytes_after'),
  took_ms: largest,
  orphans: members<NonNullable<CompactResponse['orphans']>>({ removed: sum, bytes: sum }),
});
