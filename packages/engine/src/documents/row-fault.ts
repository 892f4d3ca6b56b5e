import { LhsError } from '@lakehouse-search/contract';
import { type Batch, valueAt } from '@lakehouse-search/lake';
import { coordinatesOfTexts, formatKey } from '../schema/keys/key.ts';
import type { Mapping } from '../schema/mapping.ts';
import { columnText } from '../schema/values/column-text.ts';

/** Why a row cannot become a document. */
export interface RowFault {
  /** Absent if a column of the key is NULL. */
  readonly key?: string;
  /** What is wrong, without key and place. */
  readonly reason: string;
  /** source_invalid with key, reason and place. */
  readonly error: LhsError;
}

/**
 * Receives a row that cannot become a document, by its number in the batch. If it returns, the
 * conversion of the batch goes on without the value, and the row must not be indexed.
 */
export type OnBadRow = (row: number, fault: () => RowFault) => void;

/** Throws the error of the first row that cannot become a document. */
export const refuseRow: OnBadRow = (_row, fault) => {
  throw fault().error;
};

/** Where a row lies, in words: data file and position. */
export function placeOfRow(batch: Batch, row: number): string {
  return `row ${batch.positions[row]} of ${batch.file}`;
}

/** The canonical texts of one row's key columns. */
function keyTexts(mapping: Mapping, batch: Batch, row: number): string[] {
  return mapping.columns
    .slice(0, mapping.keyColumns)
    .map((field, c) => columnText(field.type, valueAt(batch.columns[c], row)));
}

/**
 * The fault of a value that cannot become what the definition says: its error names the key, the
 * column, the value (its first 80 characters) and the row's place.
 */
export function valueFault(
  mapping: Mapping,
  batch: Batch,
  row: number,
  column: string,
  shown: string,
  expected: string,
  hint: string,
): RowFault {
  const key = formatKey(coordinatesOfTexts(mapping.key, keyTexts(mapping, batch, row)));
  const value = shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
  const quoted = JSON.stringify(value);
  const reason = `column "${column}" holds ${quoted}, which is not ${expected}`;
  const message = `${key}: ${reason} (${placeOfRow(batch, row)})`;
  const error = new LhsError('source_invalid', message, {
    hint: `${hint}; or say on_bad_row: skip`,
    details: { key, column, value, file: batch.file, position: batch.positions[row] },
  });
  return { key, reason, error };
}
