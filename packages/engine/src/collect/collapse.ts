/**
 * Collapse: groups the matching documents by the value of a field and returns the first document
 * of each group, with the number of documents in the group. Documents without a value are one
 * group. If a document has several values, the lowest counts.
 *
 * Every match is visited: a group's first document and its count need all of them. Arrays hold both
 * by the group's number, 8 bytes per group (16 if each document has its own score). Groups of
 * several segments are merged in the order of their values: one of them stays, with the sum of the
 * counts. Names and keys are read only for the groups of the page.
 *
 * Paging by `search_after` goes over groups: a group whose first document was on an earlier page
 * does not come again.
 */

import { mergeSorted } from '../base/arrays/merge-sorted.ts';
import type { Deadline } from '../base/time/deadline.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { inParts, mapCold } from '../storage/cold-file.ts';
import { type GroupCursor, type GroupNumbers, GroupTable, groupNumbers } from './group-numbers.ts';
import {
  compareRanked,
  mergeRanked,
  type RankedDoc,
  type SearchAfter,
  type SortKey,
  type SortValue,
} from './order.ts';
import { RankedDocs, SegmentDoc } from './ranked-docs.ts';
import { compareDocs, type SegmentSortKey } from './segment-order.ts';

/** The first document of a group. */
export interface CollapsedDoc extends RankedDoc {
  readonly group: SortValue;
  /** Documents of the group. */
  readonly count: number;
}

/** The matches of a segment, and the field that groups them. */
export interface CollapsedSegment {
  /** Its number in the snapshot. */
  readonly segment: number;
  readonly reader: SegmentReader;
  readonly field: FieldPlan;
  /** The documents that will be offered, as a bitmap. */
  readonly matches: Int32Array;
  readonly keys: readonly SegmentSortKey[];
  /** The score of all documents; null: each has its own. */
  readonly score: number | null;
}

/** Groups of one segment. */
export class SegmentGroups {
  readonly segment: number;
  readonly #reader: SegmentReader;
  readonly #keys: readonly SegmentSortKey[];
  readonly #numbers: GroupNumbers;
  readonly #table: GroupTable;
  readonly #score: number;

  constructor({ segment, reader, field, matches, keys, score }: CollapsedSegment) {
    this.segment = segment;
    this.#reader = reader;
    this.#keys = keys;
    const create = (size: number) => new GroupTable(size, score === null);
    const { numbers, table } = groupNumbers(reader, field, matches, create);
    this.#numbers = numbers;
    this.#table = table;
    this.#score = score ?? 0;
  }

  /** Counts a matching document. */
  offer(doc: number, score: number): void {
    const group = this.#numbers.of(doc);
    const { docs, scores, counts } = this.#table;
    if (counts[group]++ > 0) {
      const other = docs[group];
      const best = scores === null ? score : scores[group];
      if (compareDocs(this.#keys, this.#reader.keys, doc, score, other, best) >= 0) return;
    }
    docs[group] = doc;
    if (scores !== null) scores[group] = score;
  }

  /** The first groups in order, after `after` and not after `bound`; see RankedDocs. */
  first(
    { limit, after, only, deadline }: GroupsWindow,
    bound: RankedDoc | null,
  ): readonly CollapsedDoc[] {
    const { docs, counts } = this.#table;
    const top = new RankedDocs(this.#keys, this.#reader.keys, limit, after, bound);
    for (let group = 0; group < counts.length; group++) {
      if (counts[group] === 0) continue;
      deadline.spend(1);
      if (only !== null && !only.has(groupName(this.#numbers.value(docs[group])))) continue;
      top.offer(docs[group], this.#scoreOf(group));
    }
    return mapCold(top.harvest(this.segment), (ranked): CollapsedDoc => {
      const { segment, doc, score, values, key } = ranked;
      const count = counts[this.#numbers.of(doc)];
      return { segment, doc, score, values, key, group: this.#numbers.value(doc), count };
    });
  }

  /** A cursor over its groups, by rising value. */
  cursor(): GroupCursor {
    return this.#numbers.cursor(this.#table);
  }

  /** Documents of a group. */
  count(group: number): number {
    return this.#table.counts[group];
  }

  /** Sets the number of documents of a group in all segments; 0: another segment returns it. */
  setCount(group: number, count: number): void {
    this.#table.counts[group] = count;
  }

  /** The sort values of a group's first document, to compare it with those of other segments. */
  rank(group: number): SearchAfter {
    const doc = this.#table.docs[group];
    const score = this.#scoreOf(group);
    const values = this.#keys.map((key) => key.value(doc, score));
    return new SegmentDoc(this.#reader.keys, { segment: this.segment, doc, score, values });
  }

  #scoreOf(group: number): number {
    return this.#table.scores === null ? this.#score : this.#table.scores[group];
  }
}

/** Which groups of some segments are collected. */
export interface GroupsWindow {
  readonly limit: number;
  /** Only groups after it; null: from the first one on. */
  readonly after: SearchAfter | null;
  /** Only the groups of these values (`groupName`); null: all. */
  readonly only: ReadonlySet<string> | null;
  readonly deadline: Deadline;
}

/** A map key of a group's value: equal only for equal values. */
export function groupName(value: SortValue): string {
  if (value === null) return 'null';
  return value instanceof Uint8Array ? `s${Buffer.from(value).toString('latin1')}` : `i${value}`;
}

/**
 * The first groups of all segments in order. Call once: the segments' counts are changed. Throws
 * limit_exceeded when time is over.
 */
export function firstGroups(
  segments: readonly SegmentGroups[],
  order: readonly SortKey[],
  window: GroupsWindow,
): readonly CollapsedDoc[] {
  const { limit, deadline } = window;
  if (segments.length > 1) uniteGroups(segments, order, deadline);
  let first: readonly CollapsedDoc[] = [];
  return inParts((part) => {
    for (const groups of segments) {
      part(() => {
        const last = first.length === limit ? first[limit - 1] : null;
        first = mergeRanked(first, groups.first(window, last), order, limit);
      });
    }
    return first;
  });
}

/** If several segments have a group, its first one gets the documents of all. */
function uniteGroups(
  segments: readonly SegmentGroups[],
  order: readonly SortKey[],
  deadline: Deadline,
): void {
  unite(
    segments.filter((groups) => groups.count(0) > 0).map((groups) => ({ groups, group: 0 })),
    order,
  );
  const owners = new Map(segments.map((groups) => [groups.cursor(), groups]));
  inParts((part) =>
    mergeSorted([...owners.keys()], (equal, count) => {
      deadline.spend(count);
      if (count === 1) return true;
      const same = equal.slice(0, count).map((cursor) => {
        return { groups: owners.get(cursor)!, group: cursor.group };
      });
      part(() => unite(same, order));
      return true;
    }),
  );
}

interface OwnedGroup {
  readonly groups: SegmentGroups;
  readonly group: number;
}

function unite(same: readonly OwnedGroup[], order: readonly SortKey[]): void {
  if (same.length < 2) return;
  let best = 0;
  let rank = same[0].groups.rank(same[0].group);
  let documents = 0;
  same.forEach(({ groups, group }, i) => {
    documents += groups.count(group);
    groups.setCount(group, 0);
    const own = i === 0 ? rank : groups.rank(group);
    if (compareRanked(own, rank, order) < 0) [best, rank] = [i, own];
  });
  same[best].groups.setCount(same[best].group, documents);
}
