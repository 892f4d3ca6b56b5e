import { LhsError } from '@lakehouse-search/contract';
import { nearest } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../base/limits.ts';
import type { CollectionPlan } from './collection-table.ts';
import type { Column } from './columns.ts';

/** A value as the table takes it. */
type Cell = string | number | boolean | null;
/** A row as the table takes it. */
export type TableRow = Readonly<Record<string, Cell | readonly Cell[]>>;

type PlainRow = Readonly<Record<string, unknown>>;

/**
 * A row as the table takes it. Throws invalid_argument for unknown and missing columns and for
 * values of other kinds: nothing reaches the table that the index cannot contain.
 */
export function tableRow({ columns, name }: CollectionPlan, row: PlainRow): TableRow {
  if (typeof row !== 'object' || row === null) {
    throw invalid(`${shown(row)} is no row of collection "${name}"`, 'a row is an object');
  }
  for (const column of Object.keys(row)) {
    if (!columns.has(column)) throw unknownColumn(column, name, columns);
  }
  const cells = [...columns].map(([column, spec]) => [column, cellOf(row, column, spec)]);
  return Object.fromEntries(cells);
}

/** The key of a row to delete or to read, as the table takes it. Throws invalid_argument. */
export const keyCell = ({ columns, key }: CollectionPlan, value: unknown): Cell =>
  valueCell(key, columns.get(key) as Column, value);

/** A row as it is returned, from values in the form of JSON. */
export function rowOf({ columns }: CollectionPlan, cells: PlainRow): PlainRow {
  const entries = [...columns].map(([name, { kind, list }]) => {
    const cell = Object.hasOwn(cells, name) ? cells[name] : null;
    if (list) return [name, [cell ?? []].flat().map((value) => cellValue(kind, value))];
    return [name, cell === null ? null : cellValue(kind, cell)];
  });
  return Object.fromEntries(entries);
}

function cellValue(kind: Column['kind'], cell: unknown): unknown {
  if (kind === 'date') return new Date(String(cell));
  return kind === 'integer' || kind === 'number' ? Number(cell) : cell;
}

function cellOf(row: PlainRow, column: string, spec: Column): Cell | readonly Cell[] {
  const value = (Object.hasOwn(row, column) ? row[column] : null) ?? null;
  if (spec.list) {
    const values = value ?? [];
    if (Array.isArray(values)) return values.map((one) => valueCell(column, spec, one));
    throw invalid(`column "${column}" is ${shown(value)}`, 'it takes a list');
  }
  if (value !== null) return valueCell(column, spec, value);
  if (spec.optional) return null;
  throw invalid(`column "${column}" has no value`, 'declare it with optional(…) if rows lack it');
}

function valueCell(column: string, { kind }: Column, value: unknown): Cell {
  const cell = CELLS[kind](value);
  if (cell !== undefined) return cell;
  throw invalid(`column "${column}" is ${shown(value)}`, `it takes ${EXPECTED[kind]}`);
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed();

/** The cell of a value of each kind; undefined: it is no value of the kind. */
const CELLS: Readonly<Record<Column['kind'], (value: unknown) => Cell | undefined>> = {
  string: (value) =>
    isText(value) && Buffer.byteLength(value) <= LIMITS.keywordBytes ? value : undefined,
  text: (value) => (isText(value) ? value : undefined),
  // + 0: there is one zero
  integer: (value) => (Number.isSafeInteger(value) ? Number(value) + 0 : undefined),
  number: (value) => (Number.isFinite(value) ? Number(value) + 0 : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  date: dateCell,
};

const EXPECTED: Readonly<Record<Column['kind'], string>> = {
  string: `a well-formed text of at most ${LIMITS.keywordBytes} bytes`,
  text: 'a well-formed text',
  integer: 'a whole number from -(2^53 - 1) to 2^53 - 1',
  number: 'a finite number',
  boolean: 'true or false',
  date: 'a Date of the years 1 to 9999, or its text with a time zone: 2025-11-28T10:00:00Z',
};

const ZONED = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

function dateCell(value: unknown): string | undefined {
  if (!(value instanceof Date || isMoment(value))) return;
  const moment = new Date(value);
  const year = moment.getUTCFullYear();
  return year >= 1 && year <= 9999 ? moment.toISOString() : undefined;
}

/** Date takes 30 February for 2 March. */
function isMoment(value: unknown): value is string {
  const [, day] = (typeof value === 'string' && ZONED.exec(value)) || [];
  if (day === undefined) return false;
  return new Date(`${day}T00:00Z`).toJSON()?.startsWith(day) === true;
}

function unknownColumn(
  column: string,
  collection: string,
  columns: ReadonlyMap<string, Column>,
): LhsError {
  const near = nearest(column, columns.keys());
  const known = [...columns.keys()].join(', ');
  const hint = near === undefined ? `its columns are ${known}` : `did you mean "${near}"?`;
  return invalid(`collection "${collection}" has no column "${column}"`, hint);
}

const SHOWN_LENGTH = 80;

function shown(value: unknown): string {
  const words = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return words.length > SHOWN_LENGTH ? `${words.slice(0, SHOWN_LENGTH)}…` : words;
}

const invalid = (message: string, hint: string): LhsError =>
  new LhsError('invalid_argument', message, { hint });
