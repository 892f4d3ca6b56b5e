import { radixOrder } from '../base/arrays/radix-order.ts';
import { hashBytes } from '../base/bytes/hash-bytes.ts';
import { partOf, runSteps, type Steps } from '../base/steps.ts';
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

/** Keys with several live documents, at most `limit`. */
export const findDuplicates = (
  segments: readonly PendingSegment[],
  limit: number,
  most?: number,
): readonly Duplicate[] => runSteps(findingDuplicates(segments, limit, () => false, most));

/** Hashes that are walked in one step: some milliseconds. */
const STEP = 16_384;
/** Hashes that are sorted at once: with their documents 256 MiB. */
const MAX_SORTED = 2 ** 25;

/**
 * As `findDuplicates`, in steps. The key hashes of segments are sorted and walked side by side;
 * keys are compared only if their hashes are equal. Segments that are `settled` share no key among
 * themselves: they are not walked, but the other keys are looked up in them, in the order of their
 * hashes, so that a small change of a large index costs little. Of more than `most` documents the
 * hashes are walked in ranges, one after the other, so that memory is bounded.
 */
export function* findingDuplicates(
  segments: readonly PendingSegment[],
  limit: number,
  settled: (segment: PendingSegment) => boolean,
  most = MAX_SORTED,
): Steps<readonly Duplicate[]> {
  const { walked = [], searched = [] } = Object.groupBy(segments, (segment) =>
    settled(segment) ? 'searched' : 'walked',
  );
  const ranges = Math.max(1, Math.ceil(walked.reduce((sum, { docs }) => sum + docs, 0) / most));
  const duplicates: Duplicate[] = [];
  for (let range = 0; range < ranges && duplicates.length < limit; range++) {
    const isIn = (hash: number) => Math.floor((hash / NONE) * ranges) === range;
    const finding = findingInRange({ walked, searched, isIn }, limit - duplicates.length);
    duplicates.push(...(yield* partOf(finding, range / ranges, (range + 1) / ranges)));
  }
  return duplicates;
}

interface HashRange {
  readonly walked: readonly PendingSegment[];
  readonly searched: readonly PendingSegment[];
  readonly isIn: (hash: number) => boolean;
}

function* findingInRange(
  { walked: own, searched, isIn }: HashRange,
  limit: number,
): Steps<readonly Duplicate[]> {
  const walked: SortedHashes[] = [];
  for (const segment of own) {
    walked.push(sortedHashes(segment, isIn));
    yield 0;
  }
  const duplicates: Duplicate[] = [];
  for (let count = 1; duplicates.length < limit; count++) {
    const hash = lowestHash(walked);
    if (hash === NONE) break;
    if (count % STEP === 0) yield hash / 2 ** 32;
    if (passHash(walked, hash) === 1 && searched.length === 0) continue;
    const group = docsWith(walked);
    for (const segment of searched) {
      if (segment.keys.mayHave(hash)) lookUp(group, segment, hash);
    }
    if (group.length > 1) duplicates.push(...equalKeys(group));
  }
  return duplicates.slice(0, limit);
}

interface LiveDoc {
  readonly segment: PendingSegment;
  readonly doc: number;
}

/**
 * The key hashes of a segment, ascending, the document of each, how far they were walked, and where
 * the hash that was walked last begins.
 */
interface SortedHashes {
  readonly segment: PendingSegment;
  readonly hashes: Uint32Array;
  readonly byHash: Int32Array;
  head: number;
  from: number;
}

function sortedHashes(segment: PendingSegment, isIn: HashRange['isIn']): SortedHashes {
  const hashes = new Uint32Array(segment.docs);
  const docs = new Int32Array(segment.docs);
  let count = 0;
  segment.keys.forEach((bytes, length, doc) => {
    const hash = hashBytes(bytes, 0, length);
    if (!isIn(hash)) return;
    hashes[count] = hash;
    docs[count++] = doc;
  });
  const { values, order } = radixOrder(hashes.subarray(0, count));
  const byHash = count === segment.docs ? order : order.map((at) => docs[at]);
  return { segment, hashes: values, byHash, head: 0, from: 0 };
}

/** More than any hash. */
const NONE = 2 ** 32;

/** The lowest hash that was not walked yet, or NONE. */
function lowestHash(walked: readonly SortedHashes[]): number {
  let lowest = NONE;
  for (let i = 0; i < walked.length; i++) {
    const { hashes, head } = walked[i];
    if (head < hashes.length && hashes[head] < lowest) lowest = hashes[head];
  }
  return lowest;
}

/** Moves all heads past a hash; returns the number of documents that have it. */
function passHash(walked: readonly SortedHashes[], hash: number): number {
  let docs = 0;
  for (let i = 0; i < walked.length; i++) {
    const one = walked[i];
    const { hashes } = one;
    let { head } = one;
    one.from = head;
    while (head < hashes.length && hashes[head] === hash) head++;
    docs += head - one.from;
    one.head = head;
  }
  return docs;
}

/** The live documents that have the hash which was passed last. */
function docsWith(walked: readonly SortedHashes[]): LiveDoc[] {
  const group: LiveDoc[] = [];
  for (const { segment, byHash, from, head } of walked) {
    for (let at = from; at < head; at++) {
      if (!segment.isDeleted(byHash[at])) group.push({ segment, doc: byHash[at] });
    }
  }
  return group;
}

/** Adds the live documents of a segment that have the key of a document of the group. */
function lookUp(group: LiveDoc[], segment: PendingSegment, hash: number): void {
  const found = new Set<number>();
  for (const { segment: own, doc } of [...group]) {
    const key = own.keys.key(doc);
    const other = segment.keys.findHashed(hash, key, 0, key.length);
    if (other >= 0 && !found.has(other)) group.push({ segment, doc: other });
    found.add(other);
  }
}

function equalKeys(group: readonly LiveDoc[]): readonly Duplicate[] {
  const byKey = new Map<string, { key: Uint8Array; locations: DuplicateDoc[] }>();
  for (const { segment, doc } of group) {
    const key = segment.keys.key(doc);
    const name = Buffer.from(key).toString('latin1');
    const entry = byKey.get(name) ?? { key, locations: [] };
    const { id, rowHashes } = segment.reader;
    entry.locations.push({ ...segment.location(doc), segment: id, doc, hash: rowHashes[doc] });
    byKey.set(name, entry);
  }
  return [...byKey.values()].filter(({ locations }) => locations.length > 1);
}
