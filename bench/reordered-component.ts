/**
 * The text component of a segment with its documents in another order: postings are renumbered
 * and sorted, nothing is analysed again.
 */

import type { InvertedReader } from '../packages/engine/src/inverted/inverted-reader.ts';
import { InvertedEncoder } from '../packages/engine/src/inverted/write/inverted-encoder.ts';
import { PostingsJoin } from '../packages/engine/src/postings/join-postings.ts';
import { PostingsBuffer } from '../packages/engine/src/postings/postings-buffer.ts';
import type { FilePart } from '../packages/engine/src/storage/spill.ts';

/** Above every number of postings of a term: a document and a posting fit a double. */
const PLACES = 2 ** 23;

/** The component in the order that `numberOf` gives: old number -> new, each exactly once. */
export function reorderComponent(reader: InvertedReader, numberOf: Int32Array): FilePart[] {
  const { docs } = reader;
  const lengths = new Int32Array(docs);
  const positionEnds = new Int32Array(docs);
  for (let doc = 0; doc < docs; doc++) {
    const to = numberOf[doc];
    lengths[to] = reader.lengthOf(doc);
    positionEnds[to] = lengths[to] === 0 ? 0 : 2 ** reader.positionWidth(doc);
  }
  const encoder = new InvertedEncoder(docs, reader.text, lengths, positionEnds);
  const found = new PostingsBuffer();
  const sorted = new PostingsBuffer();
  const join = new PostingsJoin(reader, numberOf, found);
  for (const terms = reader.terms(); terms.next(); ) {
    found.df = 0;
    join.append(terms.info(), 0);
    sortPostings(found, sorted);
    encoder.term(terms.source, 0, terms.length, sorted);
  }
  return encoder.finish();
}

function sortPostings(from: PostingsBuffer, into: PostingsBuffer): void {
  const { df } = from;
  const order = new Float64Array(df);
  for (let i = 0; i < df; i++) order[i] = from.docs[i] * PLACES + i;
  if (df > 1) order.sort();
  into.reserve(df);
  for (let i = 0; i < df; i++) {
    const at = order[i] % PLACES;
    into.docs[i] = from.docs[at];
    into.frequencies[i] = from.frequencies[at];
    into.positionsAt[i] = from.positionsAt[at];
  }
  into.positions = from.positions;
  into.df = df;
}
