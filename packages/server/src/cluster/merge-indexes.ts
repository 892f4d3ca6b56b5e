/** Merges of responses about indexes. */
import type {
  AlterPlan,
  AlterStrategy,
  DropResponse,
  FieldCost,
  IndexDescription,
  IndexSummary,
  ReindexCost,
  RenameResponse,
  RollbackResponse,
  VectorFieldDescription,
} from '@lakehouse-search/contract';
import {
  firstFailure,
  liveIfAny,
  mergeGenerations,
  mergeShards,
  mergeWindowList,
} from './merge-descriptions.ts';
import {
  byName,
  distinct,
  each,
  every,
  first,
  largest,
  members,
  some,
  sum,
} from './merge-members.ts';

const mergeVectorField = members<VectorFieldDescription>({
  ...each(first, 'name', 'dims', 'similarity', 'index', 'model'),
  ...each(sum, 'documents', 'bytes'),
});

export const mergeDescription = members<IndexDescription>({
  ...each(first, 'index', 'description', 'snapshot', 'checkpoint', 'synced_by', 'published', 'key'),
  ...each(first, 'source', 'fields', 'default_fields', 'time_fields', 'sort_fields'),
  ...each(first, 'tenant_field', 'variants', 'analyzers'),
  ...each(sum, 'num_docs', 'deleted_docs', 'segments', 'bytes'),
  index_generation: largest,
  status: liveIfAny,
  shards: mergeShards,
  windows: mergeWindowList,
  generations: mergeGenerations,
  merge_failure: firstFailure,
  vector_fields: byName(({ name }) => name, mergeVectorField),
  // nodes may differ until all of them have built the index again
  read_restrictions: (digests) => [...new Set(digests)].join(' '),
});

export const mergeSummary = members<IndexSummary>({
  ...each(first, 'name', 'description', 'snapshot', 'error'),
  ...each(sum, 'num_docs', 'bytes'),
  ...each(distinct, 'missing_shards', 'lacking_copies'),
  status: liveIfAny,
});

const COSTS: readonly (AlterStrategy | 'none')[] = ['none', 'live', 'field', 'reindex'];

/** Costs follow from the metadata of the table, which is the same for all nodes. */
const mergeFieldCost = members<FieldCost>({
  ...each(distinct, 'fields', 'columns'),
  ...each(largest, 'rows', 'bytes', 'texts'),
});
const mergeReindexCost = members<ReindexCost>({ rows: largest, bytes: largest, texts: largest });

export const mergeAlterPlan = members<AlterPlan>({
  ...each(every, 'is_noop', 'applied'),
  ...each(some, 'requires_reindex', 'reindex_triggered'),
  ...each(distinct, 'reindex_reasons', 'in_place_changes', 'field_changes', 'changes'),
  index: first,
  generation: largest,
  strategy: (all) => COSTS[largest(all.map((strategy) => COSTS.indexOf(strategy)))],
  field_cost: mergeFieldCost,
  reindex_cost: mergeReindexCost,
});

export const mergeRollback = members<RollbackResponse>({
  ...each(first, 'index', 'snapshot'),
  ...each(largest, 'index_generation', 'former_generation', 'definition_version'),
  ...each(largest, 'snapshots_applied', 'took_ms'),
  doc_count: sum,
});

/** Saved queries of an index are on one of its nodes each. */
export const mergeRename = members<RenameResponse>({
  ...each(first, 'index', 'previous_name'),
  aliases: distinct,
  saved_queries: sum,
});

/** Jobs, generations and points in time of an index have a part on each of its nodes. */
export const mergeDrop = members<DropResponse>({
  ...each(sum, 'saved_queries', 'bytes'),
  ...each(largest, 'jobs', 'generations', 'points_in_time'),
  index: first,
  aliases: distinct,
});
