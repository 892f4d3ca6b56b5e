/**
 * The best documents of a big text term, by its impacts and the segment's own average length. Most
 * searches of one term need nothing else of its postings. They end the term:
 *
 *   doc i32, lengthCode u8, tf u24 (for each document) | next f32 | count u16, tied u16
 *
 * Impacts fall; equal ones are in the order of documents. All documents with the sixteenth best
 * impact or a better one are there, at most 32. next: no other document has a higher impact. tied
 * 1: of those with the last impact some are missing, which come after the last document; all
 * others are surely lower.
 */
import type { EncodeContext } from './encode-dense.ts';
import {
  APART,
  BEST,
  BEST_DOCS_BYTES,
  FLOAT_UP,
  MOST_BEST_DOCS,
  MOST_FREQUENCY,
} from './format.ts';
import type { TermPostings } from './postings-buffer.ts';

/** Appends them; `context.best` has the best impacts of the term. */
export function writeBestDocs(postings: TermPostings, context: EncodeContext): void {
  const { output, best, impact, codes } = context;
  const { df, docs, frequencies } = postings;
  const last = best[BEST - 1];
  const found: number[] = [];
  let below = 0;
  let most = 0;
  for (let i = 0; i < df; i++) {
    const value = impact(docs[i], frequencies[i]);
    if (value < last) below = Math.max(below, value);
    else {
      found.push(i);
      most = Math.max(most, frequencies[i]);
    }
  }
  const impactOf = (i: number): number => impact(docs[i], frequencies[i]);
  found.sort((a, b) => impactOf(b) - impactOf(a) || a - b);
  const fits = most <= MOST_FREQUENCY;
  const count = fits ? Math.min(found.length, MOST_BEST_DOCS) : 0;
  const isWhole = fits && found.length === count;
  output.align();
  output.room(BEST_DOCS_BYTES);
  let word = output.length >> 2;
  for (const i of found.slice(0, count)) {
    output.i32[word++] = docs[i];
    output.i32[word++] = codes[docs[i]] | (frequencies[i] << 8);
  }
  output.view.setFloat32(4 * word, (isWhole ? below : fits ? last : 1) * FLOAT_UP, true);
  const isTied = fits && !isWhole && below * APART < last;
  output.i32[word + 1] = count | (isTied ? 1 << 16 : 0);
  output.length = 4 * word + 8;
}
