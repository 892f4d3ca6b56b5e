import type { Batch, ColumnVector } from '@lakehouse-search/lake';
import { ByteSink, IntSink } from '../base/arrays/growing.ts';
import { LIMITS } from '../base/limits.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { MappedField, Mapping } from '../schema/mapping.ts';
import { readIp } from '../schema/values/ip-value.ts';
import { VALUE_SHAPES } from '../schema/values/values.ts';
import { type OnBadRow, refuseRow, valueFault } from './row-fault.ts';
import { presentRows, startsOf } from './vectors/vector-values.ts';

/**
 * TEXT, KEYWORD and IP fields of string columns: byte ranges are shared with the batch where they
 * can be.
 */
export type TextVector = Extract<ColumnVector, { kind: 'utf8' }>;
type BytesBlock = Extract<FieldBlock, { kind: 'bytes' }>;

/**
 * Longest prefix of bytes[from .. to) of at most `most` bytes that does not cut a UTF-8 sequence.
 * Returns its end.
 */
export function cutAtCharacter(bytes: Uint8Array, from: number, to: number, most: number): number {
  if (to - from <= most) return to;
  let end = from + most;
  while (end > from && (bytes[end] & 0xc0) === 0x80) end--;
  return end;
}

/** One string column as it is: values are ranges of the batch's own bytes. */
function shareTexts(vector: TextVector, rows: number): BytesBlock {
  const { nulls, offsets, bytes } = vector;
  const present = presentRows(nulls, rows);
  if (present === null) return { kind: 'bytes', starts: startsOf(null, rows), offsets, bytes };
  if (!nullsAreEmpty(vector, rows)) return copyTexts(vector, rows, (row) => offsets[row + 1]);
  const kept = new Int32Array(present.length + 1);
  for (let i = 0; i < present.length; i++) kept[i] = offsets[present[i]];
  kept[present.length] = offsets[rows];
  return { kind: 'bytes', starts: startsOf(present, rows), offsets: kept, bytes };
}

function nullsAreEmpty({ nulls, offsets }: TextVector, rows: number): boolean {
  for (let row = 0; row < rows; row++) {
    if (nulls![row] === 1 && offsets[row + 1] !== offsets[row]) return false;
  }
  return true;
}

/** A copy in which row i ends at `endOf(row)`; a negative end leaves the row without a value. */
function copyTexts(vector: TextVector, rows: number, endOf: (row: number) => number): BytesBlock {
  const sink = new ByteSink(vector.offsets[rows] - vector.offsets[0]);
  const offsets = new IntSink(rows + 1);
  const starts = new Int32Array(rows + 1);
  offsets.push(0);
  for (let row = 0; row < rows; row++) {
    starts[row + 1] = starts[row];
    const end = vector.nulls?.[row] === 1 ? -1 : endOf(row);
    if (end < 0) continue;
    sink.append(vector.bytes, vector.offsets[row], end);
    offsets.push(sink.length);
    starts[row + 1]++;
  }
  return { kind: 'bytes', starts, offsets: offsets.view(), bytes: sink.view() };
}

function longest(vector: TextVector, rows: number): number {
  let most = 0;
  for (let row = 0; row < rows; row++) {
    most = Math.max(most, vector.offsets[row + 1] - vector.offsets[row]);
  }
  return most;
}

/** A TEXT field of one string column, cut to `max_bytes` at a character boundary. */
export function textOfColumn(field: MappedField, vector: TextVector, rows: number): FieldBlock {
  const most = field.definition?.maxBytes;
  if (most === undefined || longest(vector, rows) <= most) return shareTexts(vector, rows);
  const { offsets, bytes } = vector;
  return copyTexts(vector, rows, (row) =>
    cutAtCharacter(bytes, offsets[row], offsets[row + 1], most),
  );
}

/**
 * A TEXT field of several string columns: the present ones joined by a line feed; none where all
 * are NULL.
 */
export function textOfColumns(
  field: MappedField,
  vectors: readonly TextVector[],
  rows: number,
): FieldBlock {
  const total = vectors.reduce((sum, v) => sum + v.offsets[rows] - v.offsets[0] + rows, 0);
  const sink = new ByteSink(total);
  const starts = new Int32Array(rows + 1);
  const offsets = new IntSink(rows + 1);
  offsets.push(0);
  for (let row = 0; row < rows; row++) {
    const any = appendJoined(sink, vectors, row);
    starts[row + 1] = starts[row] + (any ? 1 : 0);
    if (any) offsets.push(sink.length);
  }
  const joined: TextVector = {
    kind: 'utf8',
    nulls: null,
    offsets: offsets.view(),
    bytes: sink.view(),
  };
  return { ...textOfColumn(field, joined, offsets.length - 1), starts };
}

function appendJoined(sink: ByteSink, vectors: readonly TextVector[], row: number): boolean {
  let any = false;
  for (const { nulls, offsets, bytes } of vectors) {
    if (nulls?.[row] === 1) continue;
    if (any) sink.byte(0x0a);
    sink.append(bytes, offsets[row], offsets[row + 1]);
    any = true;
  }
  return any;
}

/**
 * A KEYWORD field of one string column. A value beyond `max_bytes` is left out; without `max_bytes`
 * one beyond `LIMITS.keywordBytes` is a fault of its row.
 */
export function keywordOfColumn(
  mapping: Mapping,
  field: MappedField,
  batch: Batch,
  vector: TextVector,
  column: string,
  onBadRow: OnBadRow = refuseRow,
): FieldBlock {
  const declared = field.definition?.maxBytes;
  const most = Math.min(declared ?? LIMITS.keywordBytes, LIMITS.keywordBytes);
  if (longest(vector, batch.rows) <= most) return shareTexts(vector, batch.rows);
  const { offsets } = vector;
  return copyTexts(vector, batch.rows, (row) => {
    if (offsets[row + 1] - offsets[row] <= most) return offsets[row + 1];
    if (declared === undefined) {
      onBadRow(row, () => tooLong(mapping, field, batch, row, column, vector));
    }
    return -1;
  });
}

function tooLong(
  mapping: Mapping,
  field: MappedField,
  batch: Batch,
  row: number,
  column: string,
  { offsets, bytes }: TextVector,
) {
  const head = bytes.subarray(offsets[row], offsets[row] + 200);
  const length = offsets[row + 1] - offsets[row];
  const expected = `at most ${LIMITS.keywordBytes} bytes (it has ${length})`;
  const { name } = field.plan;
  const hint = `make "${name}" TEXT, or give it max_bytes: longer values are then left out`;
  return valueFault(mapping, batch, row, column, new TextDecoder().decode(head), expected, hint);
}

/**
 * An IP field of one string column: 16 bytes a value. What is no address is a fault of its row.
 */
export function ipOfColumn(
  mapping: Mapping,
  batch: Batch,
  vector: TextVector,
  column: string,
  onBadRow: OnBadRow = refuseRow,
): FieldBlock {
  const { nulls, offsets, bytes } = vector;
  const present = presentRows(nulls, batch.rows);
  const count = present?.length ?? batch.rows;
  const out = new Uint8Array(count * 16);
  const ends = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) {
    const row = present === null ? i : present[i];
    if (!readIp(bytes, offsets[row], offsets[row + 1], out, i * 16)) {
      const shown = new TextDecoder().decode(bytes.subarray(offsets[row], offsets[row + 1]));
      const hint = 'map the column as KEYWORD, or mend the row';
      onBadRow(row, () => {
        return valueFault(mapping, batch, row, column, shown, VALUE_SHAPES.IP, hint);
      });
    }
    ends[i + 1] = (i + 1) * 16;
  }
  return { kind: 'bytes', starts: startsOf(present, batch.rows), offsets: ends, bytes: out };
}
