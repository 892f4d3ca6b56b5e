import type { InvertedReader } from '../../inverted/inverted-reader.ts';

/** Times that a document has a term; 1 in KEYWORD fields. */
export function termFrequency(inverted: InvertedReader, term: Uint8Array, doc: number): number {
  const info = inverted.lookup(term);
  if (info === null) return 0;
  const postings = inverted.postings(info);
  return postings.advance(doc) === doc ? postings.tf() : 0;
}

/** The positions of a term in a document, rising; empty where it is not there. */
export function positionsIn(inverted: InvertedReader, term: Uint8Array, doc: number): Int32Array {
  const info = inverted.lookup(term);
  if (info === null) return new Int32Array(0);
  const postings = inverted.postings(info);
  if (postings.advance(doc) !== doc) return new Int32Array(0);
  const positions = new Int32Array(postings.tf());
  postings.positions(positions);
  return positions;
}
