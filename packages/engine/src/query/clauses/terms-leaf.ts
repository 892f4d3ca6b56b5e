import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { PhraseWord } from '../bind/clause.ts';
import { NO_MATCHES, type SegmentLeaf } from '../weight/leaf.ts';
import type { ClauseOf, ClauseScope } from './module.ts';

/** The text of bytes in the key of a clause. */
export const bytesText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

/** The text of words and their offsets in the key of a clause. */
export const wordsText = (words: readonly PhraseWord[]): string =>
  words.map(({ term, offset }) => `${bytesText(term)}@${offset}`).join(',');

/** The leaf of a clause over terms, each match of which has the score `boost`. */
export function termsLeaf(
  { field, boost }: ClauseOf<'set' | 'prefix' | 'pattern'>,
  { reader }: ClauseScope,
  fill: (inverted: InvertedReader, bits: Int32Array) => void,
): SegmentLeaf {
  const inverted = reader.inverted(field.id);
  if (inverted === null) return NO_MATCHES;
  return { constant: boost, fill: (bits) => fill(inverted, bits) };
}
