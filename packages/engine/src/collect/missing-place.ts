/** Sort keys whose documents without a value come first, or count as if they had one. */
import type { MissingPlace, SortValue } from './order.ts';
import type { SegmentSortKey } from './segment-order.ts';

/**
 * A key with its missing values elsewhere than at the end. The bounds of a column do not hold for
 * them: documents are offered one by one.
 */
export function withMissing(key: SegmentSortKey, missing: MissingPlace): SegmentSortKey {
  return missing === 'first' ? missingFirst(key) : filled(key, missing);
}

function missingFirst(key: SegmentSortKey): SegmentSortKey {
  const first = Number.NEGATIVE_INFINITY;
  return {
    desc: key.desc,
    missingFirst: true,
    rank: (doc, score) => (key.value(doc, score) === null ? first : key.rank(doc, score)),
    blurred: (rank) => rank === first || key.blurred(rank),
    value: key.value,
    rankOf: (value) => (value === null ? first : key.rankOf(value)),
    zoneStart: () => first,
  };
}

/** Two values that the segment does not have may share a rank with the one that is filled in. */
function filled(key: SegmentSortKey, fill: Exclude<SortValue, null>): SegmentSortKey {
  const rank = key.rankOf(fill);
  return {
    desc: key.desc,
    missingFirst: false,
    rank: (doc, score) => (key.value(doc, score) === null ? rank : key.rank(doc, score)),
    blurred: (at) => at === rank || key.blurred(at),
    value: (doc, score) => key.value(doc, score) ?? fill,
    rankOf: key.rankOf,
    zoneStart: (zone) => Math.min(rank, key.zoneStart(zone)),
  };
}
