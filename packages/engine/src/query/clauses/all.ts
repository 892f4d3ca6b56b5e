import { fillAll } from '../../bitmap/bitmap.ts';
import { constantLeaf } from '../weight/leaf.ts';
import type { ClauseOf, LeafModule } from './module.ts';

/** Every document. */
export const allModule: LeafModule<ClauseOf<'all'>> = {
  key: () => '',
  leaf({ boost }, { reader: { docs }, statistics }) {
    const fill = (bits: Int32Array) => fillAll(bits, docs);
    return constantLeaf(docs, boost, statistics !== null, fill, () => true);
  },
};
