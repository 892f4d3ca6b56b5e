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
import { byName, distinct, every, first, largest, members, some, sum } from './merge-members.ts';

const mergeVectorField = members<VectorFieldDescription>({
  name: first,
  dims: first,
  similarity: first,
  index: first,
  model: first,
  documents: sum,
  bytes: sum,
});

export const mergeDescription = members<IndexDescription>({
  index: first,
  description: first,
  status: liveIfAny,
  num_docs: sum,
  deleted_docs: sum,
  segments: sum,
  bytes: sum,
  shards: mergeShards,
  windows: mergeWindowList,
  snapshot: first,
  checkpoint: first,
  synced_by: first,
  index_generation: largest,
  generations: mergeGenerations,
  published: first,
  merge_failure: firstFailure,
  key: first,
  source: first,
  fields: first,
  default_fields: first,
  time_fields: first,
  sort_fields: first,
  vector_fields: byName(({ name }) => name, mergeVectorField),
  tenant_field: first,
  variants: first,
  analyzers: first,
  // nodes may differ until all of them have built the index again
  read_restrictions: (digests) => [...new Set(digests)].join(' '),
});

export const mergeSummary = members<IndexSummary>({
  name: first,
  description: first,
  status: liveIfAny,
  num_docs: sum,
  bytes: sum,
  snapshot: first,
  error: first,
  missing_shards: distinct,
  lacking_copies: distinct,
});

const COSTS: readonly (AlterStrategy | 'none')[] = ['none', 'live', 'field', 'reindex'];

/** Costs follow from the metadata of the table, which is the same for all nodes. */
const mergeFieldCost = members<FieldCost>({
  fields: distinct,
  columns: distinct,
  rows: largest,
  bytes: largest,
  texts: largest,
});
const mergeReindexCost = members<ReindexCost>({ rows: largest, bytes: largest, texts: largest });

export const mergeAlterPlan = members<AlterPlan>({
  index: first,
  is_noop: every,
  strategy: (all) => COSTS[largest(all.map((strategy) => COSTS.indexOf(strategy)))],
  requires_reindex: some,
  reindex_reasons: distinct,
  in_place_changes: distinct,
  field_changes: distinct,
  changes: distinct,
  field_cost: mergeFieldCost,
  reindex_cost: mergeReindexCost,
  applied: every,
  reindex_triggered: some,
  generation: largest,
});

export const mergeRollback = members<RollbackResponse>({
  index: first,
  index_generation: largest,
  former_generation: largest,
  definition_version: largest,
  snapshot: first,
  doc_count: sum,
  snapshots_applied: largest,
  took_ms: largest,
});

/** Saved queries of an index are on one of its nodes each. */
export const mergeRename = members<RenameResponse>({
  index: first,
  previous_name: first,
  aliases: distinct,
  saved_queries: sum,
});

/** Jobs, generations and points in time of an index have a part on each of its nodes. */
export const mergeDrop = members<DropResponse>({
  index: first,
  aliases: distinct,
  saved_queries: sum,
  jobs: largest,
  generations: largest,
  points_in_time: largest,
  bytes: sum,
});
