import { LhsError } from '@lakehouse-search/contract';
import type { Batch } from '@lakehouse-search/lake';
import { coordinatesOfTexts, formatKey } from '../schema/key.ts';
import type { Mapping } from '../schema/mapping.ts';
import { keyTexts } from './encode-keys.ts';

/** Where a row lies, in words: data file and position. */
function placeOfRow(batch: Batch, row: number): string {
  return `row ${batch.positions[row]} of ${batch.file}`;
}

/**
 * source_invalid for a value that cannot become what the definition says: names the key, the
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
): LhsError {
  const key = formatKey(coordinatesOfTexts(mapping.key, keyTexts(mapping, batch, row)));
  const value = shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
  const quoted = JSON.stringify(value);
  const what = `${key}: column "${column}" holds ${quoted}, which is not ${expected}`;
  return new LhsError('source_invalid', `${what} (${placeOfRow(batch, row)})`, {
    hint,
    details: { key, column, value, file: batch.file, position: batch.positions[row] },
  });
}
