import { fillAll } from '../../bitmap/bitmap.ts';
import type { ClauseOf, LeafModule } from './module.ts';

/** Every document. */
export const allModule: LeafModule<ClauseOf<'all'>> = {
  key: () => '',
  leaf: ({ boost }, { reader: { docs } }) => ({
    constant: boost,
    fill: (bits) => fillAll(bits, docs),
    has: () => true,
  }),
};
