import type { TableHandle } from '../../catalog/table-handle.ts';
import type { Condition } from '../../plan/condition.ts';
import { pruneFiles } from '../../plan/prune.ts';
import type { Batch } from '../../scan/batch.ts';
import { decodeSingleValue } from '../../schema/single-value.ts';
import type { Field, Schema } from '../../schema/type.ts';
import type { SourceTable } from '../../source-table.ts';
import type { NewDataFile } from '../files/data-files.ts';

type Bounds = 'lowerBounds' | 'upperBounds';

/** A condition that every row with a key of the new files meets: from their column bounds. */
export function keyRange(
  files: readonly NewDataFile[],
  { fields }: Schema,
  columns: readonly string[],
): Condition {
  const keys = columns.map((name) => fields.find((field) => field.name === name) as Field);
  const parts = keys.flatMap((field): Condition[] => [
    { kind: 'or', parts: files.map((file) => bound(file, field, 'lowerBounds')) },
    { kind: 'or', parts: files.map((file) => bound(file, field, 'upperBounds')) },
  ]);
  return { kind: 'and', parts };
}

function bound(file: NewDataFile, field: Field, of: Bounds): Condition {
  const bytes = file[of].get(field.id);
  const value = bytes === undefined ? undefined : decodeSingleValue(field.type, bytes);
  if (value === undefined || value === null) return { kind: 'and', parts: [] };
  return { kind: 'compare', fieldId: field.id, op: of === 'lowerBounds' ? '>=' : '<=', value };
}

/**
 * The key columns of a table's current rows, without the data files whose bounds say that no row
 * meets the condition.
 */
export async function* scanNear(
  table: { readonly source: SourceTable; readonly handle: TableHandle },
  condition: Condition,
  columns: readonly string[],
): AsyncGenerator<Batch> {
  const { source, handle } = table;
  const { files } = await source.files(source.currentSnapshotId);
  const near = pruneFiles(files, condition, handle.metadata);
  if (near.length === 0) return;
  yield* source.scan({ columns, files: new Set(near.map(({ data }) => data.path)) });
}
