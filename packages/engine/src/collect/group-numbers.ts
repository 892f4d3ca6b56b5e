/**
 * Numbers for the groups of a segment: 0 for documents without a value, then by rising value. The
 * numbers are a column's ordinals, or its codes if these are close together. Otherwise the values
 * of the matching documents are numbered.
 */
import type { SortedCursor } from '../base/arrays/merge-sorted.ts';
import { popcount } from '../bitmap/bitmap.ts';
import type { NumericColumn } from '../columnar/numeric-column.ts';
import type { OrdinalColumn } from '../columnar/ordinal-column.ts';
import { valueNumbers } from '../columnar/value-numbers.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { SortValue } from './order.ts';

/** Numbers the groups of a segment. */
export interface GroupNumbers {
  /** The group of a matching document. */
  of(doc: number): number;
  /** The value that the document's group shares. */
  value(doc: number): SortValue;
  /** A cursor over the groups of a table that have documents, by rising value; without group 0. */
  cursor(table: GroupTable): GroupCursor;
}

/** A cursor over the groups of a segment. */
export interface GroupCursor extends SortedCursor<GroupCursor> {
  readonly group: number;
}

/** Up to this many codes get an array with an element per code, however few documents there are. */
const CLOSE_CODES = 65_536;

/** The numbers of the groups of some documents, and an empty table for them. */
export function groupNumbers(
  reader: SegmentReader,
  field: FieldPlan,
  matches: Int32Array,
  createTable: (size: number) => GroupTable,
): { readonly numbers: GroupNumbers; readonly table: GroupTable } {
  const numeric = reader.numeric(field.id);
  if (numeric !== null) return numericNumbers(numeric, matches, createTable);
  const ordinals = reader.ordinals(field.id);
  if (ordinals !== null) {
    return { numbers: ordinalNumbers(ordinals), table: createTable(ordinals.size + 1) };
  }
  return { numbers: NO_VALUES, table: createTable(1) };
}

const NO_VALUES: GroupNumbers = Object.freeze({
  of: () => 0,
  value: () => null,
  cursor: () => ({ group: 0, next: () => false, compare: () => 0 }),
});

function ordinalNumbers(column: OrdinalColumn): GroupNumbers {
  return {
    of: (doc) => column.ord(doc) + 1,
    value(doc) {
      const ord = column.ord(doc);
      return ord < 0 ? null : column.bytesOf(ord);
    },
    cursor: (table) => new OrdinalCursor(column, table.counts),
  };
}

function numericNumbers(
  column: NumericColumn,
  matches: Int32Array,
  createTable: (size: number) => GroupTable,
) {
  const value = (doc: number) => (column.has(doc) ? column.minAt(doc) : null);
  const cursor = (table: GroupTable) => new ValueCursor(column, table);
  const close = closeCodes(column);
  if (close !== null) {
    return { numbers: { of: close.of, value, cursor }, table: createTable(close.size) };
  }
  const { numbers, count } = valueNumbers(column, docsWithValue(column, matches));
  const of = (doc: number) => numbers[doc];
  return { numbers: { of, value, cursor }, table: createTable(count + 1) };
}

/** The number of a column's codes, if they are close enough for an array with an element per code. */
export function closeSize({ codes, max, base, gcd, docs }: NumericColumn): number | null {
  const size = Number((max - base) / gcd) + 1;
  return codes === null || size >= Math.max(CLOSE_CODES, docs) ? null : size;
}

/** Codes + 1, if these are close. */
function closeCodes(column: NumericColumn) {
  const { codes, starts } = column;
  const close = closeSize(column);
  if (close === null || codes === null) return null;
  const of = (doc: number): number => {
    if (!column.has(doc)) return 0;
    if (starts === null) return codes[doc] + 1;
    let lowest = codes[starts[doc]];
    for (let slot = starts[doc] + 1; slot < starts[doc + 1]; slot++) {
      if (codes[slot] < lowest) lowest = codes[slot];
    }
    return lowest + 1;
  };
  return { of, size: close + 1 };
}

function docsWithValue({ present }: NumericColumn, matches: Int32Array): Int32Array {
  let count = 0;
  for (let i = 0; i < matches.length; i++) count += popcount(matches[i] & present[i]);
  const docs = new Int32Array(count);
  let at = 0;
  for (let i = 0; i < matches.length; i++) {
    for (let word = matches[i] & present[i]; word !== 0; word &= word - 1) {
      docs[at++] = (i << 5) + 31 - Math.clz32(word & -word);
    }
  }
  return docs;
}

/** The next group after `group` that has documents; the length of `counts` when there is none. */
function nextGroup(counts: Int32Array, group: number): number {
  let next = group + 1;
  while (next < counts.length && counts[next] === 0) next++;
  return next;
}

class OrdinalCursor implements GroupCursor {
  readonly column: OrdinalColumn;
  readonly #counts: Int32Array;
  group = 0;

  constructor(column: OrdinalColumn, counts: Int32Array) {
    this.column = column;
    this.#counts = counts;
  }

  next(): boolean {
    this.group = nextGroup(this.#counts, this.group);
    return this.group < this.#counts.length;
  }

  compare(other: GroupCursor): number {
    const { column, group } = other as OrdinalCursor;
    return this.column.compareOrds(this.group - 1, column, group - 1);
  }
}

class ValueCursor implements GroupCursor {
  readonly #column: NumericColumn;
  readonly #table: GroupTable;
  group = 0;
  /** Ordered integer. */
  value = 0n;

  constructor(column: NumericColumn, table: GroupTable) {
    this.#column = column;
    this.#table = table;
  }

  next(): boolean {
    const { counts, docs } = this.#table;
    this.group = nextGroup(counts, this.group);
    if (this.group >= counts.length) return false;
    this.value = this.#column.minAt(docs[this.group]);
    return true;
  }

  compare(other: GroupCursor): number {
    const { value } = other as ValueCursor;
    return this.value < value ? -1 : this.value > value ? 1 : 0;
  }
}

/** The groups of one segment by number: first document, its score, number of documents. */
export class GroupTable {
  /** Of groups whose count is not 0. */
  readonly docs: Int32Array;
  readonly counts: Int32Array;
  /** Null where all documents have one score, or none is needed. */
  readonly scores: Float64Array | null;

  /** Room for groups 0 .. size - 1. */
  constructor(size: number, scored: boolean) {
    this.docs = new Int32Array(size);
    this.counts = new Int32Array(size);
    this.scores = scored ? new Float64Array(size) : null;
  }
}
