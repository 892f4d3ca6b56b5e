import type { PendingSegment, RowPlace } from './pending-segment.ts';

/** A key that several live documents have, and where the row of each lies. */
export interface Duplicate {
  readonly key: Uint8Array;
  readonly places: readonly RowPlace[];
}

/**
 * Keys with several live documents, at most `limit`: the key hashes of all segments, each sorted,
 * are walked side by side, and keys are compared only where hashes are equal.
 */
export function findDuplicates(
  segments: readonly PendingSegment[],
  limit: number,
): readonly Duplicate[] {
  const heads = new Int32Array(segments.length);
  const duplicates: Duplicate[] = [];
  while (duplicates.length < limit) {
    const hash = lowestHash(segments, heads);
    if (hash === null) break;
    const group = takeHash(segments, heads, hash);
    if (group.length > 1) duplicates.push(...equalKeys(group));
  }
  return duplicates.slice(0, limit);
}

interface Place {
  readonly segment: PendingSegment;
  readonly doc: number;
}

function lowestHash(segments: readonly PendingSegment[], heads: Int32Array): number | null {
  let lowest: number | null = null;
  for (let i = 0; i < segments.length; i++) {
    const { hashes } = segments[i].reader.keys;
    if (heads[i] === hashes.length) continue;
    if (lowest === null || hashes[heads[i]] < lowest) lowest = hashes[heads[i]];
  }
  return lowest;
}

/** Moves all heads behind a hash; the live documents that have it. */
function takeHash(
  segments: readonly PendingSegment[],
  heads: Int32Array,
  hash: number,
): readonly Place[] {
  const group: Place[] = [];
  for (let i = 0; i < segments.length; i++) {
    const { hashes, byHash } = segments[i].reader.keys;
    for (; heads[i] < hashes.length && hashes[heads[i]] === hash; heads[i]++) {
      const doc = byHash[heads[i]];
      if (!segments[i].isDeleted(doc)) group.push({ segment: segments[i], doc });
    }
  }
  return group;
}

function equalKeys(group: readonly Place[]): readonly Duplicate[] {
  const byKey = new Map<string, { key: Uint8Array; places: RowPlace[] }>();
  for (const { segment, doc } of group) {
    const key = segment.reader.keys.key(doc);
    const name = Buffer.from(key).toString('latin1');
    const entry = byKey.get(name) ?? { key, places: [] };
    entry.places.push(segment.place(doc));
    byKey.set(name, entry);
  }
  return [...byKey.values()].filter(({ places }) => places.length > 1);
}
