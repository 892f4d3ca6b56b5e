import { LhsError } from '@lakehouse-search/contract';
import type { TypedBatch } from '@lakehouse-search/contract/internal';
import type { Batch } from '@lakehouse-search/lake';
import { vectorKind } from '@lakehouse-search/lake/internal';
import type { Checkpoint } from '../../index/commits/commit.ts';
import type { Mapping } from '../../schema/mapping.ts';

/** What is to be done with a batch: it comes next, or it was applied before. */
export type BatchVerdict = 'apply' | 'applied';

/**
 * The rule for a batch `(from, to]` over the committed checkpoint. `to` is committed: applied
 * before. `from` is committed: it comes next. `to` was reached before: applied before. Anything
 * else throws checkpoint_gap; the batch of another table, source_changed.
 */
export function judgeBatch(
  checkpoint: Checkpoint,
  { table_uuid, from, to }: TypedBatch,
  index: string,
): BatchVerdict {
  if (checkpoint.table_uuid !== table_uuid) throw otherTable(checkpoint, table_uuid, index);
  const { snapshot_id: committed, applied = [] } = checkpoint;
  if (to.snapshot_id === committed) return 'applied';
  if (from === committed) return 'apply';
  if (to.snapshot_id !== null && applied.includes(to.snapshot_id)) return 'applied';
  const step = `the batch leads from snapshot ${from} to ${to.snapshot_id}`;
  const message = `index "${index}" stands at snapshot ${committed}, but ${step}`;
  throw new LhsError('checkpoint_gap', message, {
    hint: 'read the checkpoint again and send what follows it',
    details: { checkpoint: committed, from, to: to.snapshot_id },
  });
}

function otherTable({ table_uuid }: Checkpoint, uuid: string, index: string): LhsError {
  const message = `the batch is of the table ${uuid}, index "${index}" follows ${table_uuid}`;
  return new LhsError('source_changed', message, {
    hint: 'a reindex builds the index of another table',
    next: [{ step: 'reindex', index }],
  });
}

/** Throws invalid_argument where rows do not have the columns of `mapping`, in their order. */
export function checkShape(mapping: Mapping, { columns, positions, rows, file }: Batch): void {
  const wanted = mapping.columns.map(({ type }) => vectorKind(type));
  const given = columns.map(({ kind }) => kind);
  if (positions.length === rows && wanted.join() === given.join()) return;
  const names = mapping.columns.map(({ name }, i) => `${name} (${wanted[i]})`).join(', ');
  throw invalidBatch(
    `${rows} rows of "${file}" at ${positions.length} positions have the columns ` +
      `(${given.join(', ')}); expected are ${names}`,
  );
}

/** The error for a batch that breaks the contract of `ChangeBatch`. */
export function invalidBatch(message: string): LhsError {
  return new LhsError('invalid_argument', `the change batch is not well formed: ${message}`, {
    hint: 'removed places come first, then the rows at places where the index has none',
  });
}
