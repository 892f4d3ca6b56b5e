import { LhsError } from '@lakehouse-search/contract';
import { type Batch, type ColumnVector, valueAt } from '@lakehouse-search/lake';
import { ByteSink } from '../base/arrays/growing.ts';
import { numberForm } from '../schema/keys/key-number.ts';
import type { Mapping } from '../schema/mapping.ts';
import { columnText } from '../schema/values/column-text.ts';
import { type OnBadRow, placeOfRow, type RowFault, refuseRow } from './row-fault.ts';
import { isNull } from './vectors/vector-values.ts';

/** Encoded keys (schema/keys/key.ts): key i = bytes[offsets[i] .. offsets[i + 1]). */
export interface EncodedKeys {
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

/**
 * Encoded keys of a batch whose first columns are the key. Throws source_invalid for a NULL in a
 * key column.
 */
export function encodeKeys(mapping: Mapping, batch: Batch): EncodedKeys {
  findNullKeys(mapping, batch, refuseRow);
  const first = batch.columns[0];
  if (mapping.keyColumns === 1 && first.kind === 'utf8' && !holdsZero(first, batch.rows)) {
    return { offsets: first.offsets, bytes: first.bytes };
  }
  const sink = new ByteSink(batch.rows * 24);
  const offsets = new Int32Array(batch.rows + 1);
  for (let row = 0; row < batch.rows; row++) {
    for (let c = 0; c < mapping.keyColumns; c++) {
      if (c > 0) sink.append(SEPARATOR);
      appendText(sink, mapping, batch.columns[c], c, row);
    }
    offsets[row + 1] = sink.length;
  }
  return { offsets, bytes: sink.view() };
}

const SEPARATOR = Uint8Array.of(0, 1);
const ZERO = Uint8Array.of(0, 0xff);
const encoder = new TextEncoder();

/** Reports the rows with a NULL in a key column. */
export function findNullKeys(mapping: Mapping, batch: Batch, onBadRow: OnBadRow): void {
  for (let column = 0; column < mapping.keyColumns; column++) {
    const vector = batch.columns[column];
    if (vector.kind !== 'values' && vector.nulls === null) continue;
    for (let row = 0; row < batch.rows; row++) {
      if (isNull(vector, row)) onBadRow(row, () => nullKey(mapping, batch, column, row));
    }
  }
}

function nullKey(mapping: Mapping, batch: Batch, column: number, row: number): RowFault {
  const name = mapping.columns[column].name;
  const place = placeOfRow(batch, row);
  const shown = mapping.columns.slice(0, mapping.keyColumns).map((field, c) => {
    const vector = batch.columns[c];
    const text = isNull(vector, row) ? 'NULL' : columnText(field.type, valueAt(vector, row));
    return `${field.name}=${text}`;
  });
  const key = `key ${shown.join(',')}: "${name}" is NULL`;
  const error = new LhsError('source_invalid', `${key} in ${place}`, {
    hint:
      'every row needs a value in each key column; choose other columns in key, ' +
      'say on_bad_row: skip, or delete those rows from the table',
    details: { column: name, file: batch.file, position: batch.positions[row] },
  });
  return { reason: key, error };
}

/** Whether any text of the column has a 0x00, which an encoded key must escape. */
function holdsZero(vector: Extract<ColumnVector, { kind: 'utf8' }>, rows: number): boolean {
  const at = vector.bytes.indexOf(0, vector.offsets[0]);
  return at >= 0 && at < vector.offsets[rows];
}

function appendText(
  sink: ByteSink,
  mapping: Mapping,
  vector: ColumnVector,
  column: number,
  row: number,
): void {
  if (vector.kind === 'utf8') {
    appendEscaped(sink, vector.bytes, vector.offsets[row], vector.offsets[row + 1]);
    return;
  }
  const text = columnText(mapping.columns[column].type, valueAt(vector, row));
  const isNumber = mapping.key.numbers?.includes(column) ?? false;
  const bytes = (isNumber ? numberForm(text) : null) ?? encoder.encode(text);
  appendEscaped(sink, bytes, 0, bytes.length);
}

function appendEscaped(sink: ByteSink, bytes: Uint8Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    if (bytes[i] === 0) sink.append(ZERO);
    else sink.byte(bytes[i]);
  }
}
