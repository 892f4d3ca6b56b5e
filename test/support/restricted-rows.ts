import { createHash } from 'node:crypto';
import { schemaOf } from './schema.ts';

/**
 * Random read restrictions of a catalog over rows of six types, and what they leave of the rows,
 * worked out here over plain values: nothing of the reader has a part in it.
 */

/** Columns of the table under restrictions; `id` is the key. */
export const RESTRICTED_SCHEMA = schemaOf({
  id: 'long',
  name: 'string',
  city: 'string',
  age: 'int',
  score: 'double',
  born: 'date',
  active: 'boolean',
});

/** A row as it is written: dates as ISO text. */
export interface PlainRow extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly name: string | null;
  readonly city: string | null;
  readonly age: number | null;
  readonly score: number | null;
  readonly born: string | null;
  readonly active: boolean | null;
}

type Plain = string | number | boolean | null;
type Below = (below: number) => number;
const NAMES = ['Ada 12', 'bo', 'Çelik-99', '(a)b', '😀abcd', 'anna lee', ''];
const CITIES = ['Bern', 'Berlin', 'Oslo', 'Øst'];
const BORN = ['1969-12-31', '1999-02-28', '2000-02-29', '2024-07-15', '0001-03-01'];

/** Rows of ids from `from`, a fifth of their values null. */
export function plainRows(below: Below, from: number, count: number): PlainRow[] {
  const oneOf = <T>(all: readonly T[]): T | null =>
    below(5) === 0 ? null : all[below(all.length)];
  return Array.from({ length: count }, (_, i) => ({
    id: from + i,
    name: oneOf(NAMES),
    city: oneOf(CITIES),
    age: oneOf([0, -3, 17, 18, 40]),
    score: oneOf([0, -1.5, 2.25, 1e9]),
    born: oneOf(BORN),
    active: oneOf([true, false]),
  }));
}

/** Restrictions as a catalog sends them, and what they mean. */
export interface KnownRestrictions {
  readonly json: unknown;
  /** The row as its reader may see it; null: it is hidden. */
  readonly seen: (row: PlainRow) => PlainRow | null;
}

interface Filter {
  readonly json: unknown;
  readonly passes: (row: PlainRow) => boolean;
}

const COLUMNS = ['id', 'name', 'city', 'age', 'score', 'born', 'active'] as const;
type Column = (typeof COLUMNS)[number];
const idOf = (column: Column) => COLUMNS.indexOf(column) + 1;
const reference = (column: Column) => ({ type: 'reference', id: idOf(column) });

const CONSTANTS: Readonly<Record<Column, readonly (string | number | boolean)[]>> = {
  id: [3, 20, 55],
  name: ['Ada 12', 'b', '😀abcd'],
  city: ['Berlin', 'Oslo', 'Z'],
  age: [0, 18, -3],
  score: [0, 2.25, 1e9],
  born: BORN,
  active: [true, false],
};

const utf8 = (text: string) => Buffer.from(text);
function order(a: Exclude<Plain, null>, b: Exclude<Plain, null>): number {
  if (typeof a === 'string') return Buffer.compare(utf8(a), utf8(String(b)));
  return Number(a) - Number(b);
}

const COMPARE: Readonly<Record<string, (sign: number) => boolean>> = {
  eq: (sign) => sign === 0,
  lt: (sign) => sign < 0,
  'lt-eq': (sign) => sign <= 0,
  gt: (sign) => sign > 0,
  'gt-eq': (sign) => sign >= 0,
};

function leaf(below: Below): Filter {
  const column = COLUMNS[below(COLUMNS.length)];
  const constants = CONSTANTS[column];
  const left = reference(column);
  switch (below(6)) {
    case 0:
      return { json: { type: 'is-null', child: left }, passes: (row) => row[column] === null };
    case 1:
      return { json: { type: 'not-null', child: left }, passes: (row) => row[column] !== null };
    case 2: {
      const values = constants.slice(0, 1 + below(constants.length));
      const among = (row: PlainRow) => values.some((value) => value === row[column]);
      if (below(2) === 0) return { json: { type: 'in', child: left, values }, passes: among };
      return { json: { type: 'not-in', term: column, values }, passes: (row) => !among(row) };
    }
    case 3: {
      const starts = (row: PlainRow) => row.name?.startsWith('a') ?? false;
      const child = { left: reference('name'), right: { type: 'literal', value: 'a' } };
      if (below(2) === 0) return { json: { type: 'starts-with', ...child }, passes: starts };
      return { json: { type: 'not-starts-with', ...child }, passes: (row) => !starts(row) };
    }
    default:
      return comparison(below, column, left);
  }
}

function comparison(below: Below, column: Column, left: unknown): Filter {
  const names = [...Object.keys(COMPARE), 'not-eq'];
  const type = names[below(names.length)];
  const value = CONSTANTS[column][below(CONSTANTS[column].length)];
  const compare = COMPARE[type === 'not-eq' ? 'eq' : type];
  const holds = (row: PlainRow) => {
    const own = row[column];
    return own !== null && compare(order(own, value));
  };
  const passes = type === 'not-eq' ? (row: PlainRow) => !holds(row) : holds;
  if (below(4) === 0) return { json: { type, term: column, value }, passes };
  return { json: { type, left, right: { type: 'literal', value } }, passes };
}

function filter(below: Below, depth: number): Filter {
  const kind = depth === 0 ? 9 : below(6);
  if (kind > 2) return leaf(below);
  const a = filter(below, depth - 1);
  if (kind === 0) return { json: { type: 'not', child: a.json }, passes: (row) => !a.passes(row) };
  const b = filter(below, depth - 1);
  if (kind === 1) {
    const json = { type: 'and', left: a.json, right: b.json };
    return { json, passes: (row) => a.passes(row) && b.passes(row) };
  }
  const json = { type: 'or', left: a.json, right: b.json };
  return { json, passes: (row) => a.passes(row) || b.passes(row) };
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const hidden = (char: string) => (/[0-9]/.test(char) ? 'n' : /[(),.@-]/.test(char) ? char : 'x');

type MaskOf = (value: Plain) => Plain;
const unlessNull =
  (mask: (value: never) => Plain): MaskOf =>
  (value) =>
    value === null ? null : mask(value as never);
const text = (mask: (chars: readonly string[]) => readonly string[]) =>
  unlessNull((value: string) => mask(Array.from(value)).join(''));

const MASKS: Readonly<Record<string, Partial<Record<Column, MaskOf>>>> = {
  'mask-alphanum': both(text((chars) => chars.map(hidden))),
  'show-first-4': both(text((chars) => [...chars.slice(0, 4), ...chars.slice(4).map(hidden)])),
  'show-last-4': both(text((chars) => [...chars.slice(0, -4).map(hidden), ...chars.slice(-4)])),
  'mask-to-fixed-value': {
    ...both(() => 'XXXXXXXX'),
    age: () => 0,
    score: () => 0,
    born: () => '1970-01-01',
    active: () => false,
  },
  'replace-with-null': {
    ...both(() => null),
    age: () => null,
    score: () => null,
    born: () => null,
    active: () => null,
  },
  'truncate-to-year': { born: unlessNull((day: string) => `${day.slice(0, 4)}-01-01`) },
  'truncate-to-month': { born: unlessNull((day: string) => `${day.slice(0, 7)}-01`) },
  'sha-256-global': {
    ...both(unlessNull((value: string) => sha(utf8(value)).toString('hex'))),
    age: unlessNull((value: number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32LE(value);
      return sha(bytes).readInt32LE();
    }),
  },
};

function both(mask: MaskOf): Partial<Record<Column, MaskOf>> {
  return { name: mask, city: mask };
}

/** Random restrictions: a filter, masks of some columns, or both. */
export function randomRestrictions(below: Below): KnownRestrictions {
  const rows = below(5) === 0 ? null : filter(below, 3);
  const masks = new Map<Column, { readonly action: string; readonly mask: MaskOf }>();
  for (const column of COLUMNS) {
    const actions = Object.keys(MASKS).filter((action) => MASKS[action][column] !== undefined);
    if (actions.length === 0 || below(2) === 0) continue;
    const action = actions[below(actions.length)];
    masks.set(column, { action, mask: MASKS[action][column] as MaskOf });
  }
  const projections = [...masks].map(([column, { action }]) => ({
    'field-id': idOf(column),
    action,
  }));
  return {
    json: {
      ...(rows === null ? {} : { 'required-row-filter': rows.json }),
      'required-column-projections': projections,
    },
    seen: (row) => {
      if (rows !== null && !rows.passes(row)) return null;
      const entries = COLUMNS.map((column) => {
        const mask = masks.get(column)?.mask;
        return [column, mask === undefined ? row[column] : mask(row[column])];
      });
      return Object.fromEntries(entries) as PlainRow;
    },
  };
}
