import { type CallContext, LhsError } from '@lakehouse-search/contract';
import type { TypedBatch } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Commit } from '../../index/commits/commit.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { fromSource } from '../../source/source-errors.ts';
import { judgeBatch } from '../../sync/batch/batch-rule.ts';
import { requireCheckpoint } from '../../sync/source-state.ts';
import type { LocalIndexes } from '../local-indexes.ts';

/**
 * Refuses a change batch whose snapshot or new data files the table does not have: its rows could
 * not be read, and the next sync would remove them. A table that cannot be opened here refuses
 * nothing. Throws checkpoint_gap, invalid_argument, source_changed, and as `SourceTable.files`.
 */
export async function refuseForeignFiles(
  indexes: LocalIndexes,
  known: KnownIndex,
  commit: Commit,
  batch: TypedBatch,
  { signal }: CallContext,
): Promise<void> {
  const { name } = known.registered;
  if (judgeBatch(requireCheckpoint(commit, name), batch, name) === 'applied') return;
  const seen = new Set(commit.files.paths());
  const { snapshot_id, files } = batch.to;
  const added = files.filter(({ path }) => !seen.has(path));
  if (added.length === 0) return;
  const table = await openHere(indexes, known, signal);
  if (table === null) return;
  const snapshot = table.snapshots.find(({ id }) => String(id) === snapshot_id);
  if (snapshot === undefined) throw unknownSnapshot(table, snapshot_id);
  const set = await fromSource(() => table.files(snapshot.id), signal);
  const paths = new Set(set.files.map(({ data }) => data.path));
  const foreign = added.find(({ path }) => !paths.has(path));
  if (foreign !== undefined) throw foreignFile(table, foreign.path, snapshot_id);
}

async function openHere(
  indexes: LocalIndexes,
  known: KnownIndex,
  signal: AbortSignal | undefined,
): Promise<SourceTable | null> {
  try {
    return await indexes.tables.newest(known, signal);
  } catch (error) {
    if (error instanceof LhsError && error.code !== 'interrupted') return null;
    throw error;
  }
}

function unknownSnapshot({ name }: SourceTable, snapshot: string | null): LhsError {
  const message = `the batch leads to snapshot ${snapshot}, which is not in table "${name}"`;
  return new LhsError('checkpoint_gap', message, {
    hint: 'read the checkpoint again and send what follows it; old snapshots may have been expired',
    details: { to: snapshot },
  });
}

function foreignFile({ name }: SourceTable, path: string, snapshot: string | null): LhsError {
  const message = `the batch has the file "${path}", which snapshot ${snapshot} of "${name}" lacks`;
  return new LhsError('invalid_argument', message, {
    hint: 'commit rows to the table, then sync the index',
    details: { file: path, snapshot },
  });
}
