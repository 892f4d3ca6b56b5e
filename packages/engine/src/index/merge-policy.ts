/** Which segments to merge: a pure function from their sizes, so that it can be tested as one. */

/** What the policy knows of a segment. */
export interface SegmentSize {
  readonly docs: number;
  readonly deletedDocs: number;
  readonly bytes: number;
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
  floorBytes: 4 * 2 ** 20,
  segmentsPerTier: 8,
  maxBytes: 2 ** 30,
  maxDocs: 16_777_216,
  deletedPart: 0.2,
});

/** Bytes that will be left of a segment without its deleted documents. */
export const liveBytes = ({ docs, deletedDocs, bytes }: SegmentSize): number =>
  docs === 0 ? 0 : bytes * (1 - deletedDocs / docs);

/**
 * Groups of segments to merge now, by place in `segments`, each ascending, none twice. Tiers grow
 * by `segmentsPerTier`: a tier with that many segments or more is merged into one of the next; so
 * a document is rewritten about log(bytes) / log(segmentsPerTier) times. Segments with many
 * deletes are rewritten alone.
 */
export function chooseMerges(
  segments: readonly SegmentSize[],
  settings: MergeSettings = MERGE_SETTINGS,
): readonly (readonly number[])[] {
  const tiers = new Map<number, number[]>();
  segments.forEach((segment, place) => {
    if (liveBytes(segment) > settings.maxBytes / 2) return;
    const tier = tierOf(segment, settings);
    tiers.set(tier, [...(tiers.get(tier) ?? []), place]);
  });
  const merges: number[][] = [];
  for (const places of tiers.values()) {
    if (places.length >= settings.segmentsPerTier)
      merges.push(...split(segments, places, settings));
  }
  const chosen = new Set(merges.flat());
  segments.forEach(({ docs, deletedDocs }, place) => {
    if (!chosen.has(place) && deletedDocs > docs * settings.deletedPart) merges.push([place]);
  });
  return merges;
}

/**
 * Groups that leave at most `count` segments, as far as the limits allow; segments without
 * deletes that fit are left alone.
 */
export function chooseForcedMerges(
  segments: readonly SegmentSize[],
  count: number,
  settings: MergeSettings = MERGE_SETTINGS,
): readonly (readonly number[])[] {
  const deleted = segments.some(({ deletedDocs }) => deletedDocs > 0);
  if (segments.length <= count && !deleted) return [];
  const bytes = segments.reduce((sum, segment) => sum + liveBytes(segment), 0);
  const share = { ...settings, maxBytes: Math.min(settings.maxBytes, Math.ceil(bytes / count)) };
  const groups = split(
    segments,
    segments.map((_, place) => place),
    share,
    1,
  );
  while (groups.length > count && joinSmallest(segments, groups, settings));
  return groups.filter((group) => group.length > 1 || segments[group[0]].deletedDocs > 0);
}

/**
 * 0 below the floor, from there on one more for each `segmentsPerTier` times the size. Were the
 * first tier to reach beyond the floor, what a merge of small segments makes would be merged again
 * with the next ones.
 */
function tierOf(segment: SegmentSize, settings: MergeSettings): number {
  const size = liveBytes(segment) / settings.floorBytes;
  return size < 1 ? 0 : 1 + Math.floor(Math.log(size) / Math.log(settings.segmentsPerTier));
}

/** Neighbours in groups that stay within the limits; groups of fewer than `least` are dropped. */
function split(
  segments: readonly SegmentSize[],
  places: readonly number[],
  settings: MergeSettings,
  least = 2,
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
  return groups.filter(({ length }) => length >= least);
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
