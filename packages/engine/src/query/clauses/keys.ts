import type { BoundSegmentDocs } from '../bind/precomputed.ts';
import { precomputedLeaf } from '../weight/precomputed-leaf.ts';
import type { ClauseOf, LeafModule } from './module.ts';
import { bytesText } from './terms-leaf.ts';

/** The live documents with one of some keys. */
export const keysModule: LeafModule<ClauseOf<'keys'>> = {
  key: ({ keys }) => keys.map(bytesText).join(','),
  leaf({ keys, boost }, { reader }) {
    const found = keys.map((key) => reader.keys.find(key)).filter((doc) => doc >= 0);
    const docs = Int32Array.from(new Set(found)).sort();
    const own: BoundSegmentDocs = { docs, scores: new Float64Array(docs.length).fill(1) };
    return { ...precomputedLeaf(own, boost), constant: boost };
  },
};
