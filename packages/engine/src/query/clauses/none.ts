import { NO_MATCHES } from '../weight/leaf.ts';
import type { ClauseOf, LeafModule } from './module.ts';

/** No document. */
export const noneModule: LeafModule<ClauseOf<'none'>> = {
  key: () => '',
  leaf: () => NO_MATCHES,
};
