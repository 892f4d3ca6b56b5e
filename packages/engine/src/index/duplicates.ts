import { runSteps, type Steps } from '../base/steps.ts';
import type { PendingSegment, RowLocation } from './pending-segment.ts';

/** One of several live documents of a key: where its row lies, and the row's hash. */
export interface DuplicateDoc extends RowLocation {
  readonly segment: string;
  readonly doc: number;
  readonly hash: bigint;
}

/** A key that several live documents have. */
export interface Duplicate {
  readonly key: Uint8Array;
  readonly locations: readonly DuplicateDoc[];
}

/**
 * Keys with several live documents, at most `limit`: the key hashes of all segments, each sorted,
 * are walked side by side, and keys are compared only where hashes are equal. Segments that are
 * `settled` share no key among themselves: they are not walked, the others' hashes are looked up in
 * them, so that a small change of a large index costs little.
 */
export function findDuplicates(
  segments: readonly PendingSegment[],
  limit: number,
  settled: (segment: PendingSegment) => boolean = () => false,
): readonly Duplicate[] {
  return runSteps(findingDuplicates(segments, limit, settled));
}

/** Hashes that are walked in one step: some milliseconds. */
const STEP = 16_384;

/** As `findDuplicates`, in steps. */
export function* findingDuplicates(
  segments: readonly PendingSegment[],
  limit: number,
  settled: (segment: PendingSegment) => boolean = () => false,
): Steps<readonly Duplicate[]> {
  const walked = segments.filter((segment) => !settled(segment)).map(sortedHashes);
  const searched = segments.filter(settled).map(sortedHashes);
  const duplicates: Duplicate[] = [];
  for (let count = 1; duplicates.length < limit; count++) {
    const hash = lowestHash(walked);
    if (hash === null) break;
    if (count % STEP === 0) yield hash / 2 ** 32;
    for (const hashes of searched) hashes.head = firstAtLeast(hashes, hash);
    const group = takeHash(walked, hash);
    if (searched.length > 0 && group.length > 0) group.push(...takeHash(searched, hash));
    if (group.length > 1) duplicates.push(...equalKeys(group));
  }
  return duplicates.slice(0, limit);
}

interface LiveDoc {
  readonly segment: PendingSegment;
  readonly doc: number;
}

/** The key hashes of a segment, ascending, the document of each, and how far they were walked. */
interface SortedHashes {
  readonly segment: PendingSegment;
  readonly hashes: Uint32Array;
  readonly byHash: Int32Array;
  head: number;
}

function sortedHashes(segment: PendingSegment): SortedHashes {
  const { hashes, byHash } = segment.reader.keys;
  return { segment, hashes, byHash, head: 0 };
}

function lowestHash(walked: readonly SortedHashes[]): number | null {
  let lowest: number | null = null;
  for (const { hashes, head } of walked) {
    if (head < hashes.length && (lowest === null || hashes[head] < lowest)) lowest = hashes[head];
  }
  return lowest;
}

/** From the head on in steps that double: the next hash of a larger segment is never far. */
function firstAtLeast({ hashes, head }: SortedHashes, hash: number): number {
  let low = head;
  let step = 1;
  while (low + step < hashes.length && hashes[low + step] < hash) {
    low += step;
    step *= 2;
  }
  let high = Math.min(hashes.length, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle] < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Moves all heads behind a hash at which they stand; the live documents that have it. */
function takeHash(all: readonly SortedHashes[], hash: number): LiveDoc[] {
  const group: LiveDoc[] = [];
  for (const one of all) {
    const { segment, hashes, byHash } = one;
    for (; one.head < hashes.length && hashes[one.head] === hash; one.head++) {
      const doc = byHash[one.head];
      if (!segment.isDeleted(doc)) group.push({ segment, doc });
    }
  }
  return group;
}

function equalKeys(group: readonly LiveDoc[]): readonly Duplicate[] {
  const byKey = new Map<string, { key: Uint8Array; locations: DuplicateDoc[] }>();
  for (const { segment, doc } of group) {
    const key = segment.reader.keys.key(doc);
    const name = Buffer.from(key).toString('latin1');
    const entry = byKey.get(name) ?? { key, locations: [] };
    const { id, keys } = segment.reader;
    entry.locations.push({ ...segment.location(doc), segment: id, doc, hash: keys.rowHashes[doc] });
    byKey.set(name, entry);
  }
  return [...byKey.values()].filter(({ locations }) => locations.length > 1);
}
