/**
 * Which segments to merge: a pure function from their sizes, so that it can be tested as one. It is
 * the tiered policy that Lucene made known, in our words:
 *   1. sizes are those of living documents, and small segments count as `floorBytes`
 *   2. the budget of segments: `segmentsPerTier` of the floor's size, as many of the next tier's
 *      (that many times larger), and so on until all bytes have their place
 *   3. while there are more: the merge is chosen that is most even (the largest segment is a small
 *      part of it; so a byte is rewritten about once a tier), small, and rich in deletes
 *   4. segments with many deletes that no merge took are rewritten alone
 * Each window of each shard is judged by itself: no merge combines segments of two of them.
 */
import type { WindowStart } from '../../schema/windows.ts';

/** What the policy knows of a segment. */
export interface SegmentSize {
  readonly docs: number;
  readonly deletedDocs: number;
  readonly bytes: number;
  /** Absent: 0. */
  readonly shard?: number;
  /** Absent: the index has no windows. */
  readonly window?: WindowStart;
}

/** When segments are merged, and how large they may get. */
export interface MergeSettings {
  /** Segments below this count as this large: they are merged early, it costs little. */
  readonly floorBytes: number;
  /** So many segments of one size are kept side by side. */
  readonly segmentsPerTier: number;
  /** No merge makes a segment larger than this. */
  readonly maxBytes: number;
  readonly maxDocs: number;
  /** A segment with a greater part of its documents deleted is rewritten even alone. */
  readonly deletedPart: number;
}

export const MERGE_SETTINGS: MergeSettings = Object.freeze({
  floorBytes: 2 * 2 ** 20,
  segmentsPerTier: 4,
  maxBytes: 2 ** 30,
  maxDocs: 16_777_216,
  deletedPart: 0.2,
});

/** Merges beside are smaller than what a compaction makes: memory for a few times 512 MiB. */
export const BACKGROUND_SETTINGS: MergeSettings = Object.freeze({
  ...MERGE_SETTINGS,
  maxBytes: 512 * 2 ** 20,
  maxDocs: 4_194_304,
});

/** One merge takes at most so many segments. */
const MERGE_AT_ONCE = 32;

/** Bytes that will be left of a segment without its deleted documents. */
export const liveBytes = ({ docs, deletedDocs, bytes }: SegmentSize): number =>
  docs === 0 ? 0 : bytes * (1 - deletedDocs / docs);

type Groups = readonly (readonly number[])[];

/**
 * Groups of segments to merge now, by position in `segments`, each ascending, none twice. The shard
 * and window with the most segments come first; within them the best group does.
 */
export function chooseMerges(
  segments: readonly SegmentSize[],
  settings: MergeSettings = MERGE_SETTINGS,
): Groups {
  return withinWindows(segments, (own) => chooseWithin(own, settings));
}

/** Lets `choose` group the segments of each window of each shard by themselves. */
function withinWindows(
  segments: readonly SegmentSize[],
  choose: (segments: readonly SegmentSize[]) => Groups,
): Groups {
  const byWindow = Map.groupBy(segments.keys(), (at) => {
    const { shard = 0, window } = segments[at];
    return `${shard}/${window}`;
  });
  const windows = [...byWindow.values()].sort((a, b) => b.length - a.length);
  return windows.flatMap((own) => {
    const groups = choose(own.map((at) => segments[at]));
    return groups.map((group) => group.map((at) => own[at]));
  });
}

function chooseWithin(segments: readonly SegmentSize[], settings: MergeSettings): Groups {
  const live = segments.map(liveBytes);
  let free = segments
    .map((_, place) => place)
    .filter((place) => live[place] <= settings.maxBytes / 2)
    .sort((a, b) => live[b] - live[a]);
  const budget = segmentBudget(
    free.map((place) => live[place]),
    settings,
  );
  const merges: number[][] = [];
  while (free.length + merges.length > budget) {
    const best = bestMerge(segments, free, settings);
    if (best === null) break;
    merges.push(best.toSorted((a, b) => a - b));
    const taken = new Set(best);
    free = free.filter((place) => !taken.has(place));
  }
  const chosen = new Set(merges.flat());
  segments.forEach(({ docs, deletedDocs }, place) => {
    if (!chosen.has(place) && deletedDocs > docs * settings.deletedPart) merges.push([place]);
  });
  return merges;
}

/** So many segments may stand side by side. */
function segmentBudget(live: readonly number[], settings: MergeSettings): number {
  const { floorBytes, segmentsPerTier, maxBytes } = settings;
  let left = live.reduce((sum, bytes) => sum + bytes, 0);
  let budget = 0;
  for (let size = floorBytes; ; size = Math.min(size * segmentsPerTier, maxBytes)) {
    const count = left / size;
    if (count < segmentsPerTier || size >= maxBytes) {
      return Math.max(budget + Math.ceil(count), segmentsPerTier);
    }
    budget += segmentsPerTier;
    left -= segmentsPerTier * size;
  }
}

/** The merge with the lowest score among runs of `free` (places by falling size), or null. */
function bestMerge(
  segments: readonly SegmentSize[],
  free: readonly number[],
  settings: MergeSettings,
): readonly number[] | null {
  let best: readonly number[] | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (let from = 0; from + 1 < free.length; from++) {
    const group: number[] = [];
    for (let at = from; at < free.length && group.length < MERGE_AT_ONCE; at++) {
      if (fits(segments, [...group, free[at]], settings)) group.push(free[at]);
    }
    if (group.length < 2) continue;
    const score = scoreOf(segments, group, settings);
    if (score < least) [best, least] = [group, score];
  }
  return best;
}

/**
 * How even a merge is, from 1 / segments (best) to 1; a little worse when large, better with
 * deletes.
 */
function scoreOf(
  segments: readonly SegmentSize[],
  group: readonly number[],
  { floorBytes }: MergeSettings,
): number {
  const live = group.map((place) => liveBytes(segments[place]));
  const floored = live.map((bytes) => Math.max(bytes, floorBytes));
  const skew = floored[0] / floored.reduce((sum, bytes) => sum + bytes, 0);
  const after = live.reduce((sum, bytes) => sum + bytes, 0);
  const before = group.reduce((sum, place) => sum + segments[place].bytes, 0);
  return skew * after ** 0.05 * (before === 0 ? 0 : (after / before) ** 2);
}

/**
 * Groups that leave at most `count` segments per shard and window, as far as the limits allow;
 * segments without deletes that fit are left alone.
 */
export function chooseForcedMerges(
  segments: readonly SegmentSize[],
  count: number,
  settings: MergeSettings = MERGE_SETTINGS,
): Groups {
  return withinWindows(segments, (own) => chooseForcedWithin(own, count, settings));
}

function chooseForcedWithin(
  segments: readonly SegmentSize[],
  count: number,
  settings: MergeSettings,
): Groups {
  const deleted = segments.some(({ deletedDocs }) => deletedDocs > 0);
  if (segments.length <= count && !deleted) return [];
  const bytes = segments.reduce((sum, segment) => sum + liveBytes(segment), 0);
  const share = { ...settings, maxBytes: Math.min(settings.maxBytes, Math.ceil(bytes / count)) };
  const groups = split(
    segments,
    segments.map((_, place) => place),
    share,
  );
  while (groups.length > count && joinSmallest(segments, groups, settings));
  return groups.filter((group) => group.length > 1 || segments[group[0]].deletedDocs > 0);
}

/** Neighbours in groups that stay within the limits, none empty. */
function split(
  segments: readonly SegmentSize[],
  places: readonly number[],
  settings: MergeSettings,
): number[][] {
  const groups: number[][] = [];
  let group: number[] = [];
  for (const place of places) {
    if (group.length > 0 && !fits(segments, [...group, place], settings)) {
      groups.push(group);
      group = [];
    }
    group.push(place);
  }
  groups.push(group);
  return groups.filter(({ length }) => length > 0);
}

/** Joins the two neighbouring groups that are smallest together; false where none fits. */
function joinSmallest(
  segments: readonly SegmentSize[],
  groups: number[][],
  settings: MergeSettings,
): boolean {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i + 1 < groups.length; i++) {
    const joined = [...groups[i], ...groups[i + 1]];
    const bytes = joined.reduce((sum, place) => sum + liveBytes(segments[place]), 0);
    if (bytes < least && fits(segments, joined, settings)) [best, least] = [i, bytes];
  }
  if (best < 0) return false;
  groups.splice(best, 2, [...groups[best], ...groups[best + 1]]);
  return true;
}

function fits(
  segments: readonly SegmentSize[],
  places: readonly number[],
  settings: MergeSettings,
): boolean {
  let bytes = 0;
  let docs = 0;
  for (const place of places) {
    bytes += liveBytes(segments[place]);
    docs += segments[place].docs - segments[place].deletedDocs;
  }
  return bytes <= settings.maxBytes && docs <= settings.maxDocs;
}
