import { lowerBound } from '../../base/arrays/lower-bound.ts';
import { hasBit, setBit } from '../../bitmap/bitmap.ts';
import type { BoundSegmentDocs } from '../bind/precomputed.ts';
import { NO_MATCHES, RANGE_DOCS, type ScoredLeaf } from './leaf.ts';

/** A leaf over documents and scores that were found before the query ran. */
export function precomputedLeaf(segment: BoundSegmentDocs | undefined, boost: number): ScoredLeaf {
  if (segment === undefined) return NO_MATCHES;
  const { docs, scores } = segment;
  const from = (doc: number): number => lowerBound(docs, doc);
  return {
    most: docs.length,
    fill(bits) {
      for (let i = 0; i < docs.length; i++) setBit(bits, docs[i]);
    },
    has: (doc) => docs[from(doc)] === doc,
    addBounds(into) {
      for (let i = 0; i < docs.length; ) {
        const range = docs[i] >> 8;
        let best = 0;
        for (; i < docs.length && docs[i] >> 8 === range; i++) {
          best = Math.max(best, scores[i]);
        }
        into[range] += boost * best;
      }
    },
    add(range, wanted, into) {
      const end = (range + 1) * RANGE_DOCS;
      for (let i = from(range * RANGE_DOCS); i < docs.length && docs[i] < end; i++) {
        const doc = docs[i];
        if (hasBit(wanted, doc)) into[doc & (RANGE_DOCS - 1)] += boost * scores[i];
      }
    },
  };
}
