/** The parts of a change batch. They come one by one, and each is checked before it is used. */
import { path } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  instance,
  list,
  object,
  oneOf,
  orNull,
  record,
  whole,
  wrong,
} from '../checks/values.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { BatchPart, ChangeBatch, RowBatch, RowColumn } from './change-batch.ts';

/** Rows of one part, at most: positions and offsets are 32-bit. */
const MOST_ROWS = 2 ** 31 - 1;

const rising: Check = (value, field) => {
  instance('Int32Array')(value, field);
  let last = -1;
  for (const position of value as Int32Array) {
    if (position <= last) throw wrong(field, position, `more than ${last}: positions rise from 0`);
    last = position;
  }
};

type Part<K extends BatchPart['kind']> = BatchPart & { readonly kind: K };
const REMOVED_FIELDS: Fields<Part<'removed'>> = {
  kind: oneOf('removed'),
  path,
  positions: orNull(rising),
};

const BATCH_FIELDS: Fields<RowBatch> = {
  rows: whole(0, MOST_ROWS),
  columns: list(object, REQUEST_LIMITS.definitionFields + REQUEST_LIMITS.keyColumns),
  file: path,
  positions: rising,
};
const ROWS_FIELDS: Fields<Part<'rows'>> = {
  kind: oneOf('rows'),
  batch: record(BATCH_FIELDS, ['rows', 'columns', 'file', 'positions']),
};

const checkRemoved = record(REMOVED_FIELDS, ['path', 'positions']);
const checkRows = record(ROWS_FIELDS, ['batch']);

/** What holds the values of a column of each kind. */
const VALUES = {
  int32: 'Int32Array',
  int64: 'BigInt64Array',
  float64: 'Float64Array',
  bool: 'Uint8Array',
} as const;
const kindOfColumn = oneOf('utf8', 'values', ...Object.keys(VALUES));
const nulls = orNull(instance('Uint8Array'));
const anyList: Check = (value, field) => {
  if (!Array.isArray(value)) throw wrong(field, value, 'an array');
};
const TEXTS = {
  kind: kindOfColumn,
  nulls,
  offsets: instance('Int32Array'),
  bytes: instance('Uint8Array'),
};
const COLUMNS: Readonly<Record<string, Check>> = {
  utf8: record(TEXTS, ['nulls', 'offsets', 'bytes']),
  values: record({ kind: kindOfColumn, values: anyList }, ['values']),
  ...Object.fromEntries(
    Object.entries(VALUES).map(([kind, type]) => [
      kind,
      record({ kind: kindOfColumn, nulls, values: instance(type) }, ['nulls', 'values']),
    ]),
  ),
};

/** A column of exactly `rows` values. */
function checkColumn(column: unknown, rows: number, field: string): void {
  const { kind } = column as { readonly kind?: unknown };
  kindOfColumn(kind, `${field}.kind`);
  COLUMNS[kind as string]!(column, field);
  const vector = column as RowColumn;
  if (vector.kind !== 'values' && vector.nulls !== null)
    hasLength(vector.nulls, rows, `${field}.nulls`);
  if (vector.kind !== 'utf8') hasLength(vector.values, rows, `${field}.values`);
  else checkOffsets(vector, rows, `${field}.offsets`);
}

type Texts = RowColumn & { readonly kind: 'utf8' };

function checkOffsets({ offsets, bytes }: Texts, rows: number, field: string): void {
  hasLength(offsets, rows + 1, field);
  let last = 0;
  for (const offset of offsets) {
    if (offset < last || offset > bytes.length) {
      const expected = `from ${last} to ${bytes.length}: offsets rise within the bytes`;
      throw wrong(field, offset, expected);
    }
    last = offset;
  }
}

function hasLength({ length }: { readonly length: number }, wanted: number, field: string): void {
  if (length !== wanted) throw wrong(`${field}.length`, length, String(wanted));
}

const kindOfPart = oneOf('removed', 'rows');

/** Checks a part of a change batch, named `field`. Throws invalid_argument or limit_exceeded. */
export function checkBatchPart(part: unknown, field: string): BatchPart {
  object(part, field);
  const { kind } = part as { readonly kind?: unknown };
  kindOfPart(kind, `${field}.kind`);
  if (kind === 'removed') {
    checkRemoved(part, field);
    return part as BatchPart;
  }
  checkRows(part, field);
  const { batch } = part as Part<'rows'>;
  hasLength(batch.positions, batch.rows, `${field}.batch.positions`);
  batch.columns.forEach((column, i) => {
    checkColumn(column, batch.rows, `${field}.batch.columns[${i}]`);
  });
  return part as BatchPart;
}

/** The parts of a batch, each checked when it comes. */
export async function* checkedParts(
  parts: ChangeBatch['parts'],
): AsyncGenerator<BatchPart, void, undefined> {
  let at = 0;
  for await (const part of parts) yield checkBatchPart(part, `batch.parts[${at++}]`);
}
