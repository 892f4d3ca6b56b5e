import { createHash } from 'node:crypto';
import { normalizeRecorded } from '../base/files/table-files.ts';
import type { DataFile } from '../metadata/file-set.ts';
import type { Value } from '../schema/type.ts';
import type { ColumnVector } from './batch.ts';
import type { FileRows } from './file-rows.ts';

/*
 * Values of `_row`: `5f4dcc3b5aa765d6:42`, the first 64 bits of the SHA-256 of the data file's path
 * and the row's ordinal from 0. A value tells the rows of a snapshot apart, and names the same row
 * as long as its file is part of the table.
 */

/** Bytes of a value: at most these. */
export const ROW_KEY_BYTES = 27;

/** What the values of a file's rows begin with. */
export function rowKeyPrefix({ path }: DataFile): string {
  const digest = createHash('sha256').update(normalizeRecorded(path)).digest('hex');
  return `${digest.slice(0, 16)}:`;
}

const encoder = new TextEncoder();

/** The values of rows of a file. */
export function rowKeyVector(prefix: string, rows: FileRows): ColumnVector {
  const texts = Array.from({ length: rows.rows }, (_, row) => {
    return `${prefix}${rows.positions?.[row] ?? rows.firstRow + row}`;
  });
  const offsets = new Int32Array(rows.rows + 1);
  texts.forEach((text, row) => {
    offsets[row + 1] = offsets[row] + text.length;
  });
  return { kind: 'utf8', nulls: null, offsets, bytes: encoder.encode(texts.join('')) };
}

/** The positions, ascending, that values name in a file. */
export function rowKeyPositions(data: DataFile, values: readonly Value[]): Int32Array {
  const prefix = rowKeyPrefix(data);
  const digits = values
    .map(String)
    .filter((text) => text.startsWith(prefix))
    .map((text) => text.slice(prefix.length));
  const positions = digits.filter((text) => /^(0|[1-9]\d{0,9})$/.test(text)).map(Number);
  return Int32Array.from(positions.filter((position) => position < data.recordCount)).sort();
}
