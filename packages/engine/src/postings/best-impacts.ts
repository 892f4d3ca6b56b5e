import type { EncodeContext } from './encode-dense.ts';
import { BEST } from './format.ts';
import type { TermPostings } from './postings-buffer.ts';

/**
 * Adds the impacts of postings [from, to) to the best of the term; `most` is the highest of them.
 */
export function noteBest(
  { docs, frequencies }: TermPostings,
  { best, impact }: EncodeContext,
  from: number,
  to: number,
  most: number,
): void {
  if (most <= best[BEST - 1]) return;
  for (let i = from; i < to; i++) {
    const value = impact(docs[i], frequencies[i]);
    if (value <= best[BEST - 1]) continue;
    let at = BEST - 1;
    for (; at > 0 && best[at - 1] < value; at--) best[at] = best[at - 1];
    best[at] = value;
  }
}
