/**
 * Hits that were found before they are asked for, as numbers: 16 bytes per hit. Sort values and
 * keys are read from the segments again when a page shows the hit.
 */
import type { CollapsedDoc } from '../../collect/collapse.ts';
import type { RankedDoc, SortKey } from '../../collect/order.ts';
import { SegmentDoc } from '../../collect/ranked-docs.ts';
import { type SegmentSortKey, segmentOrder } from '../../collect/segment-order.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';

/** Approximate bytes per group: its values, its key and the value it collapses on. */
const GROUP_BYTES = 1024;

/** Hits, or first documents of groups, in order. */
export interface FoundHits {
  readonly size: number;
  readonly bytes: number;
  at(i: number): RankedDoc | CollapsedDoc;
}

/** Hits in order, packed. */
export function packHits(
  segments: readonly SegmentReader[],
  order: readonly SortKey[],
  hits: readonly RankedDoc[],
): FoundHits {
  const numbers = Int32Array.from(hits, (hit) => hit.segment);
  const docs = Int32Array.from(hits, (hit) => hit.doc);
  const scores = Float64Array.from(hits, (hit) => hit.score);
  const orders = new Map<number, readonly SegmentSortKey[]>();
  const orderOf = (segment: number): readonly SegmentSortKey[] => {
    let keys = orders.get(segment);
    if (keys === undefined) orders.set(segment, (keys = segmentOrder(segments[segment], order)));
    return keys;
  };
  return {
    size: docs.length,
    bytes: numbers.byteLength + docs.byteLength + scores.byteLength,
    at(i) {
      const [segment, doc, score] = [numbers[i], docs[i], scores[i]];
      const values = orderOf(segment).map((key) => key.value(doc, score));
      return new SegmentDoc(segments[segment].keys, { segment, doc, score, values });
    },
  };
}

/** Groups in order, as they are. */
export function keepGroups(groups: readonly (RankedDoc | CollapsedDoc)[]): FoundHits {
  return { size: groups.length, bytes: GROUP_BYTES * groups.length, at: (i) => groups[i] };
}
