/**
 * The documents of a column in the order of their values: one array a column and direction, made
 * when pages are asked for again and again. Sorted by two or four passes over 16 bits of the codes.
 */
import { LazyTable } from '../base/lazy-table.ts';
import { NumericColumn } from './numeric-column.ts';
import type { OrdinalColumn } from './ordinal-column.ts';

/** Columns with more documents go without: making one would take seconds. */
const MAX_DOCS = 1 << 21;
/** Making an order costs about as much as this many pages lose without it. */
export const ASKS_BEFORE_ORDER = 64;
const DIGITS = 1 << 16;

/** Documents by value, those without one last; equal values in the order that was given. */
export interface ValueOrder {
  readonly bytes: number;
  readonly docs: Int32Array;
}

type Column = NumericColumn | OrdinalColumn;
type Orders = Readonly<Record<'rising' | 'falling', LazyTable<Column, ValueOrder>>>;

const orders = new WeakMap<Column, Orders>();

/**
 * A column's documents by lowest value, or by highest one falling. `byKey`: all documents in the
 * order of their keys, always the same. null: not asked often enough yet.
 */
export function valueOrder(
  column: Column,
  desc: boolean,
  byKey: () => Int32Array,
): ValueOrder | null {
  if (column.docs > MAX_DOCS) return null;
  let own = orders.get(column);
  if (own === undefined) {
    const table = (falling: boolean) =>
      new LazyTable(ASKS_BEFORE_ORDER, (of: Column) => makeOrder(of, falling, byKey()));
    own = { rising: table(false), falling: table(true) };
    orders.set(column, own);
  }
  return own[desc ? 'falling' : 'rising'].get(column);
}

/** Codes by document as unsigned words, high bits in `high`; rising in the order asked for. */
export interface SortCodes {
  readonly low: Uint32Array;
  readonly high: Uint32Array | null;
}

function makeOrder(column: Column, desc: boolean, byKey: Int32Array): ValueOrder {
  const { sorted, missing } = withValue(column, byKey);
  const docs = sortByCodes(sorted, sortCodes(column, desc));
  const all = new Int32Array(column.docs);
  all.set(docs);
  all.set(missing, docs.length);
  return { bytes: all.byteLength, docs: all };
}

/** Documents by rising codes, those of equal ones as they were; `docs` may be what is returned. */
function sortByCodes(docs: Int32Array, { low, high }: SortCodes): Int32Array {
  let sorted = docs;
  let room: Int32Array = new Int32Array(docs.length);
  for (const words of high === null ? [low] : [low, high]) {
    for (const shift of [0, 16]) {
      if (sortDigit(sorted, words, shift, room)) [sorted, room] = [room, sorted];
    }
  }
  return sorted;
}

/** Documents that have a value, and those that have none. */
function withValue(
  column: Column,
  byKey: Int32Array,
): { readonly sorted: Int32Array; readonly missing: Int32Array } {
  const sorted = new Int32Array(column.docs);
  const missing = new Int32Array(column.docs);
  let [n, m] = [0, 0];
  for (let i = 0; i < byKey.length; i++) {
    if (column.has(byKey[i])) sorted[n++] = byKey[i];
    else missing[m++] = byKey[i];
  }
  return { sorted: sorted.slice(0, n), missing: missing.subarray(0, m) };
}

/** The codes of a column's lowest values, or of its highest ones falling. */
export function sortCodes(column: Column, desc: boolean): SortCodes {
  if (column instanceof NumericColumn && column.wide !== null) return wideCodes(column, desc);
  const low = new Uint32Array(column.docs);
  const { starts } = column;
  const codes = column.codes!;
  if (starts === null) low.set(codes);
  else {
    for (let doc = 0; doc < low.length; doc++) {
      const [from, end] = [starts[doc], starts[doc + 1]];
      for (let slot = from; slot < end; slot++) {
        const code = codes[slot];
        if (slot === from || (desc ? code > low[doc] : code < low[doc])) low[doc] = code;
      }
    }
  }
  if (desc) for (let doc = 0; doc < low.length; doc++) low[doc] = ~low[doc];
  return { low, high: null };
}

function wideCodes(column: NumericColumn, desc: boolean): SortCodes {
  const low = new Uint32Array(column.docs);
  const high = new Uint32Array(column.docs);
  if (!column.multi) {
    const { buffer, byteOffset } = column.wide!;
    const words = new Uint32Array(buffer, byteOffset, 2 * column.docs);
    const flip = desc ? 0xffff_ffff : 0;
    for (let doc = 0; doc < low.length; doc++) {
      low[doc] = words[2 * doc] ^ flip;
      high[doc] = words[2 * doc + 1] ^ flip ^ 0x8000_0000;
    }
    return { low, high };
  }
  for (let doc = 0; doc < low.length; doc++) {
    if (!column.has(doc)) continue;
    const value = desc ? ~column.maxAt(doc) : column.minAt(doc);
    low[doc] = Number(value & 0xffff_ffffn);
    high[doc] = Number(value >> 32n) ^ 0x8000_0000;
  }
  return { low, high };
}

/** Writes documents to `into` by 16 bits of their codes; false: all have the same ones. */
function sortDigit(docs: Int32Array, words: Uint32Array, shift: number, into: Int32Array): boolean {
  const starts = new Int32Array(DIGITS + 1);
  for (let i = 0; i < docs.length; i++) starts[((words[docs[i]] >>> shift) & 0xffff) + 1]++;
  if (docs.length > 0 && starts[((words[docs[0]] >>> shift) & 0xffff) + 1] === docs.length) {
    return false;
  }
  for (let i = 1; i <= DIGITS; i++) starts[i] += starts[i - 1];
  for (let i = 0; i < docs.length; i++) {
    const doc = docs[i];
    into[starts[(words[doc] >>> shift) & 0xffff]++] = doc;
  }
  return true;
}
