import { LhsError } from '@lakehouse-search/contract';
import { type Batch, vectorKind } from '@lakehouse-search/lake';
import type { Mapping } from '../schema/mapping.ts';

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
