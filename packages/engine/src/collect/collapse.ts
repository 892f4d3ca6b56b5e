/**
 * Collapse: of all matching documents with one value of a field, the first in the order stands for the group, with the number of
 * documents in it. Documents without a value are one group. Of several values the lowest counts.
 *
 * Every match is visited: a group's first document and its count need all of them. Paging by `search_after` goes over groups:
 * a group whose first document stood on an earlier page does not come again.
 */
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

interface Group {
  doc: number;
  score: number;
  count: number;
}

/** Groups of one segment. */
export class SegmentGroups {
  readonly #reader: SegmentReader;
  readonly #keys: readonly SegmentSortKey[];
  readonly #ranks: Int32Array;
  readonly #valueOf: (doc: number) => SortValue;
  readonly #groupOf: (doc: number) => number | bigint;
  readonly #groups = new Map<number | bigint, Group>();

  constructor(reader: SegmentReader, field: FieldPlan, keys: readonly SegmentSortKey[]) {
    this.#reader = reader;
    this.#keys = keys;
    this.#ranks = reader.keys.ranks;
    const numeric = reader.numeric(field.id);
    const ordinals = reader.ordinals(field.id);
    if (numeric !== null) {
      this.#groupOf = (doc) => (numeric.has(doc) ? numeric.minAt(doc) : -1);
      this.#valueOf = (doc) => (numeric.has(doc) ? numeric.minAt(doc) : null);
    } else {
      this.#groupOf = (doc) => ordinals?.ord(doc) ?? -1;
      this.#valueOf = (doc) => {
        const ord = ordinals?.ord(doc) ?? -1;
        return ordinals === null || ord < 0 ? null : ordinals.bytesOf(ord);
      };
    }
  }

  /** Counts a matching document. */
  offer(doc: number, score: number): void {
    const name = this.#groupOf(doc);
    const group = this.#groups.get(name);
    if (group === undefined) {
      this.#groups.set(name, { doc, score, count: 1 });
      return;
    }
    group.count++;
    if (compareDocs(this.#keys, this.#ranks, { doc, score }, group) < 0) {
      group.doc = doc;
      group.score = score;
    }
  }

  /** Adds the segment's groups to those of other segments. */
  mergeInto(groups: Groups, segment: number, order: readonly SortKey[]): void {
    for (const { doc, score, count } of this.#groups.values()) {
      const group = this.#valueOf(doc);
      const values = this.#keys.map((key) => key.value(doc, score));
      const key = this.#reader.keys.key(doc);
      mergeGroup(groups, { segment, doc, score, values, key, group, count }, order);
    }
  }
}

/** Adds a group of a segment, or of a shard: counts add up, the earlier first document stays. */
export function mergeGroup(groups: Groups, group: CollapsedDoc, order: readonly SortKey[]): void {
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
