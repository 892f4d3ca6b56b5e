/**
 * The buckets of an owner that an answer shows, out of the counts of all segments. One segment's
 * codes are in the order of their keys already; those of several are merged in that order, string
 * by string, so that every count is the sum over all segments.
 */

import { mergeSorted } from '../../base/arrays/merge-sorted.ts';
import type { Deadline } from '../../base/time/deadline.ts';
import type { CountOrder } from '../aggregation.ts';
import type { BucketKey } from '../bucket-key.ts';
import { BucketHeap } from './bucket-heap.ts';
import type { CodeCounts } from './code-counter.ts';
import type { FieldValues } from './coder.ts';
import { type CountCursor, countCursor, missingCursor } from './count-cursor.ts';

/** The counts of one owner in one segment. */
export interface PartCounts {
  /** Number of the segment among those that are merged. */
  readonly part: number;
  readonly values: FieldValues;
  readonly counts: CodeCounts;
}

/** A bucket that is shown. */
export interface ChosenBucket {
  readonly key: BucketKey;
  readonly count: number;
  readonly codes: readonly PartCode[];
}

/** A bucket's code in one segment; null: the documents without a value. */
export interface PartCode {
  readonly part: number;
  readonly code: number | bigint | null;
}

/** The documents of an owner without a value, where they count under a key. */
export interface MissingCount {
  readonly key: BucketKey;
  readonly count: number;
  /** Segments that have some. */
  readonly parts: readonly number[];
}

/** The first buckets in order, and how many documents the others have. */
export interface Choice {
  readonly chosen: readonly ChosenBucket[];
  readonly left: number;
}

/** Which buckets are chosen: those with `least` documents (1). */
interface Selection {
  readonly size: number;
  readonly order: CountOrder;
  readonly least?: number;
}

/** Chooses the first `size` buckets in an order. Throws limit_exceeded when time is over. */
export function chooseBuckets(
  parts: readonly PartCounts[],
  missing: MissingCount | null,
  selection: Selection,
  deadline: Deadline,
): Choice {
  const [only] = parts;
  if (parts.length === 1 && missing === null) return chooseFromOne(only, selection, deadline);
  const { size, order, least = 1 } = selection;
  const heap = new BucketHeap<MergedBucket>(size, order);
  let keyRank = 0;
  mergeSorted(cursorsOf(parts, missing), (equal, count) => {
    deadline.spend(count);
    const documents = sumOf(equal, count);
    if (documents >= least && heap.takes(documents)) {
      heap.add(mergedBucket(equal.slice(0, count), documents, keyRank, missing));
    }
    keyRank++;
    return !heap.complete;
  });
  const chosen = heap.sorted();
  const all = parts.reduce((before, { counts }) => before + sum(counts.counts), 0);
  return { chosen, left: all + (missing?.count ?? 0) - shown(chosen) };
}

/** Number of different keys in all parts. Throws limit_exceeded when time is over. */
export function countKeys(parts: readonly PartCounts[], deadline: Deadline): number {
  let keys = 0;
  if (parts.length === 1) {
    const { counts } = parts[0].counts;
    for (let i = 0; i < counts.length; i++) if (counts[i] > 0) keys++;
    return keys;
  }
  mergeSorted(cursorsOf(parts, null), (_, count) => {
    deadline.spend(count);
    keys++;
    return true;
  });
  return keys;
}

type MergedBucket = ChosenBucket & { readonly keyRank: number };

function chooseFromOne(
  { part, values, counts: { codes, counts } }: PartCounts,
  selection: Selection,
  deadline: Deadline,
): Choice {
  const chosenIndexes =
    selection.order.by === 'key'
      ? firstIndexes(counts, selection)
      : mostCounted(counts, selection, deadline);
  const chosen = chosenIndexes.map((at): ChosenBucket => {
    const code = codes === null ? at : codes[at];
    return { key: values.key(code), count: counts[at], codes: [{ part, code }] };
  });
  return { chosen, left: sum(counts) - shown(chosen) };
}

/** The first indexes with a count above 0, or the last ones in falling order. */
function firstIndexes(
  counts: Int32Array,
  { size, order: { desc }, least = 1 }: Selection,
): readonly number[] {
  const chosenIndexes: number[] = [];
  const step = desc ? -1 : 1;
  for (
    let at = desc ? counts.length - 1 : 0;
    at >= 0 && at < counts.length && chosenIndexes.length < size;
    at += step
  ) {
    if (counts[at] >= least) chosenIndexes.push(at);
  }
  return chosenIndexes;
}

function mostCounted(
  counts: Int32Array,
  { size, order, least = 1 }: Selection,
  deadline: Deadline,
): readonly number[] {
  const heap = new BucketHeap<{ count: number; keyRank: number }>(size, order);
  for (let keyRank = 0; keyRank < counts.length; keyRank++) {
    const count = counts[keyRank];
    if (count < least || !heap.takes(count)) continue;
    deadline.spend(1);
    heap.add({ count, keyRank });
  }
  return heap.sorted().map(({ keyRank }) => keyRank);
}

function cursorsOf(
  parts: readonly PartCounts[],
  missing: MissingCount | null,
): readonly CountCursor[] {
  const cursors = parts.map(({ part, values, counts }) => countCursor(values, counts, part));
  if (missing !== null) cursors.push(missingCursor(missing.key, missing.count));
  return cursors;
}

function sumOf(equal: readonly CountCursor[], count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += equal[i].count;
  return sum;
}

function mergedBucket(
  equal: readonly CountCursor[],
  count: number,
  keyRank: number,
  missing: MissingCount | null,
): MergedBucket {
  const codes = equal.flatMap(({ part, code }): PartCode[] =>
    part >= 0 ? [{ part, code }] : missing!.parts.map((own) => ({ part: own, code: null })),
  );
  return { key: equal[0].key(), count, codes, keyRank };
}

function sum(counts: Int32Array): number {
  let all = 0;
  for (let i = 0; i < counts.length; i++) all += counts[i];
  return all;
}

const shown = (chosen: readonly ChosenBucket[]): number =>
  chosen.reduce((all, { count }) => all + count, 0);
