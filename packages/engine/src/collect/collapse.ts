/**
 * Collapse: of all matching documents with one value of a field, the first in the order stands for
 * the group, with the number of documents in it. Documents without a value are one group. Of
 * several values the lowest counts.
 *
 * Every match is visited: a group's first document and its count need all of them. Paging by
 * `search_after` goes over groups: a group whose first document stood on an earlier page does not
 * come again.
 */
import type { NumericColumn } from '../columnar/numeric-column.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import {
  compareRanked,
  type RankedDoc,
  type SearchAfter,
  type SortKey,
  type SortValue,
} from './order.ts';
import { compareDocs, type SegmentSortKey } from './segment-order.ts';

/** The first document of a group. */
export interface CollapsedDoc extends RankedDoc {
  readonly group: SortValue;
  /** Documents of the group. */
  readonly count: number;
}
/** Groups by a text of their value. */
export type Groups = Map<string, CollapsedDoc>;

/**
 * The first document of each group of a segment, its score, and how many there are. Groups are
 * numbers from 0 on.
 */
interface GroupTable {
  readonly docs: Int32Array;
  readonly scores: Float64Array;
  readonly counts: Int32Array;
}

/** Numbers the groups of a segment. */
interface GroupNumbers {
  readonly size: number;
  of(doc: number): number;
  value(doc: number): SortValue;
}

function numbersOf(reader: SegmentReader, field: FieldPlan): GroupNumbers {
  const numeric = reader.numeric(field.id);
  if (numeric !== null) return numericGroups(numeric);
  const ordinals = reader.ordinals(field.id);
  if (ordinals === null) return { size: 1, of: () => 0, value: () => null };
  return {
    size: ordinals.size + 1,
    of: (doc) => ordinals.ord(doc) + 1,
    value(doc) {
      const ord = ordinals.ord(doc);
      return ord < 0 ? null : ordinals.bytesOf(ord);
    },
  };
}

/** Numbers are given out as values come by; there are at most as many as documents. */
function numericGroups(column: NumericColumn): GroupNumbers {
  const numbers = new Map<number | bigint, number>();
  return {
    size: column.docs + 1,
    of(doc) {
      if (!column.has(doc)) return 0;
      const name = column.exact && !column.double ? column.sortKey(doc) : column.minAt(doc);
      let number = numbers.get(name);
      if (number === undefined) numbers.set(name, (number = numbers.size + 1));
      return number;
    },
    value: (doc) => (column.has(doc) ? column.minAt(doc) : null),
  };
}

/** Groups of one segment. */
export class SegmentGroups {
  readonly #reader: SegmentReader;
  readonly #keys: readonly SegmentSortKey[];
  readonly #ranks: Int32Array;
  readonly #numbers: GroupNumbers;
  readonly #table: GroupTable;

  constructor(reader: SegmentReader, field: FieldPlan, keys: readonly SegmentSortKey[]) {
    this.#reader = reader;
    this.#keys = keys;
    this.#ranks = reader.keys.ranks;
    this.#numbers = numbersOf(reader, field);
    const { size } = this.#numbers;
    this.#table = {
      docs: new Int32Array(size),
      scores: new Float64Array(size),
      counts: new Int32Array(size),
    };
  }

  /** Counts a matching document. */
  offer(doc: number, score: number): void {
    const { docs, scores, counts } = this.#table;
    const group = this.#numbers.of(doc);
    if (counts[group]!++ > 0 && !this.#before(doc, score, group)) return;
    docs[group] = doc;
    scores[group] = score;
  }

  #before(doc: number, score: number, group: number): boolean {
    const { docs, scores } = this.#table;
    const other = docs[group]!;
    const first = this.#keys[0]!;
    const place = first.place(doc, score);
    const otherPlace = first.place(other, scores[group]!);
    if (place !== otherPlace) return place < otherPlace;
    const known = { doc: other, score: scores[group]! };
    return compareDocs(this.#keys, this.#ranks, { doc, score }, known) < 0;
  }

  /** Adds the segment's groups to those of other segments. */
  mergeInto(groups: Groups, segment: number, order: readonly SortKey[]): void {
    const { docs, scores, counts } = this.#table;
    counts.forEach((count, number) => {
      if (count === 0) return;
      const doc = docs[number]!;
      const score = scores[number]!;
      const group = this.#numbers.value(doc);
      const values = this.#keys.map((key) => key.value(doc, score));
      const key = this.#reader.keys.key(doc);
      mergeGroup(groups, { segment, doc, score, values, key, group, count }, order);
    });
  }
}

/** Adds a group of a segment, or of a shard: counts add up, the earlier first document stays. */
function mergeGroup(groups: Groups, group: CollapsedDoc, order: readonly SortKey[]): void {
  const name = groupName(group.group);
  const known = groups.get(name);
  if (known === undefined) {
    groups.set(name, group);
    return;
  }
  const first = compareRanked(group, known, order) < 0 ? group : known;
  groups.set(name, { ...first, count: known.count + group.count });
}

function groupName(value: SortValue): string {
  if (value instanceof Uint8Array) return `=${Buffer.from(value).toString('latin1')}`;
  return value === null ? '' : `=${value}`;
}

/** The first `limit` groups in order, after `after` where one is given. */
export function firstGroups(
  groups: Groups,
  order: readonly SortKey[],
  limit: number,
  after: SearchAfter | null,
): readonly CollapsedDoc[] {
  const all = [...groups.values()];
  const left = after === null ? all : all.filter((doc) => compareRanked(doc, after, order) > 0);
  return left.sort((a, b) => compareRanked(a, b, order)).slice(0, limit);
}
