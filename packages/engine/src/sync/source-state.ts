import { type CheckpointState, LhsError, type SourceState } from '@lakehouse-search/contract';
import {
  type DeleteFile,
  type FileSet,
  type Schema,
  type SourceTable,
  schemaToJson,
} from '@lakehouse-search/lake';
import { LIMITS } from '../base/limits.ts';
import type { Checkpoint, Commit, Json } from '../index/commits/commit.ts';
import { type DeleteRef, deleteName } from '../index/commits/data-files.ts';
import {
  differInRestrictions,
  identityParts,
  restrictionsChanged,
  sourceIdentity,
} from '../index/commits/source-identity.ts';
import type { OpenIndex } from '../open/open-index.ts';

/**
 * The state of `table` at `set`, rows read under `schema` (a bound one); `ref`: what the definition
 * follows.
 */
export function sourceState(
  table: SourceTable,
  set: FileSet,
  schema: Schema,
  ref: string | undefined,
): SourceState {
  const snapshot = set.snapshotId === null ? null : table.snapshot(set.snapshotId);
  return {
    snapshot_id: snapshot === null ? null : String(snapshot.id),
    sequence: String(snapshot?.sequenceNumber ?? 0n),
    schema: storedSchema(schema),
    ...(ref === undefined ? {} : { ref }),
    files: set.files.map(({ data, deletes }) => ({
      path: data.path,
      records: data.recordCount,
      sequence: String(data.dataSequence),
      deletes: deletes.map(deleteRef),
    })),
  };
}

function deleteRef(file: DeleteFile): DeleteRef {
  if (file.kind !== 'vector') return { path: file.path };
  return { path: file.path, offset: file.contentOffset, length: file.contentSize };
}

/** A schema as a checkpoint keeps it: plain JSON, big integers (column defaults) as strings. */
export function storedSchema(schema: Schema): Json {
  const json = schemaToJson(schema);
  const text = JSON.stringify(json, (_, v) => (typeof v === 'bigint' ? String(v) : v));
  return JSON.parse(text) as Json;
}

/**
 * The checkpoint of an index that equals `state`, after `former`: whose snapshot is the latest of
 * those that were reached before, but for those that were `passed` since (newest first).
 */
export function checkpointAt(
  uuid: string,
  state: SourceState,
  former: Pick<Checkpoint, 'snapshot_id' | 'applied'> | null,
  passed: readonly string[] = [],
): Checkpoint {
  const { snapshot_id, sequence, schema, ref, files } = state;
  const id = (schema as { readonly 'schema-id'?: unknown } | null)?.['schema-id'];
  const before = former === null ? [] : [former.snapshot_id, ...(former.applied ?? [])];
  const applied = [...new Set([...passed, ...before])]
    .filter((snapshot) => snapshot !== null && snapshot !== snapshot_id)
    .slice(0, LIMITS.appliedSnapshots) as string[];
  return {
    table_uuid: uuid,
    snapshot_id,
    sequence,
    schema_id: typeof id === 'number' ? id : null,
    schema,
    data_files: files.length,
    delete_files: new Set(files.flatMap(({ deletes }) => deletes.map(deleteName))).size,
    ...(ref === undefined ? {} : { ref }),
    ...(applied.length === 0 ? {} : { applied }),
  };
}

/** The state that a commit's checkpoint keeps. Throws index_not_built where it has none. */
export function committedState(commit: Commit, index: string): SourceState {
  const { snapshot_id, sequence, schema, ref } = requireCheckpoint(commit, index);
  return {
    snapshot_id,
    sequence,
    schema,
    ...(ref === undefined ? {} : { ref }),
    files: commit.files
      .all()
      .flatMap(({ path, entries }) => entries.map((state) => ({ path, ...state }))),
  };
}

/** The checkpoint of a commit. Throws index_not_built. */
export function requireCheckpoint({ checkpoint }: Commit, index: string): Checkpoint {
  if (checkpoint !== null) return checkpoint;
  throw new LhsError('index_not_built', `index "${index}" has no checkpoint to sync from`, {
    hint: 'a reindex builds it',
    next: [{ step: 'reindex', index }],
  });
}

/**
 * The table is the one that the checkpoint followed, under the same read restrictions. Throws
 * source_changed.
 */
export function requireSameTable(
  checkpoint: Pick<Checkpoint, 'table_uuid'>,
  table: Pick<SourceTable, 'name' | 'uuid' | 'restrictions'>,
  index: string,
): void {
  const identity = sourceIdentity(table);
  if (checkpoint.table_uuid === identity) return;
  if (differInRestrictions(checkpoint.table_uuid, identity)) {
    throw restrictionsChanged(table.name, index);
  }
  const message =
    `"${table.name}" is another table now (uuid ${table.uuid}, the index follows ` +
    `${identityParts(checkpoint.table_uuid).uuid})`;
  throw new LhsError('source_changed', message, {
    hint: 'a reindex builds the index of the new table',
    next: [{ step: 'reindex', index }],
  });
}

/** The state of an open index that a producer of change batches needs. */
export function checkpointState({ snapshot, mapping }: OpenIndex): CheckpointState {
  const { index } = mapping.definition;
  const { table_uuid, applied = [] } = requireCheckpoint(snapshot.commit, index);
  return {
    table_uuid,
    ...committedState(snapshot.commit, index),
    applied,
    columns: mapping.columns.map(({ name }) => name),
    key_columns: mapping.keyColumns,
    index_generation: snapshot.generation,
  };
}
