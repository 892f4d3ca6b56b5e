import type { InvertedReader } from '../inverted-reader.ts';
import type { FoundTerms } from './found-terms.ts';
import { WordDistance } from './length-search.ts';
import { LONGEST_NEAR } from './near-search.ts';
import { lengthTable, nearTables } from './pattern-tables.ts';
import { SHORT_LETTERS } from './short-words.ts';

/**
 * Adds every term within one edit of a word (UTF-8; edits as in query/automaton/levenshtein.ts),
 * each once. False where nothing was added and the caller has to walk the dictionary: the tables
 * are not made, or do not serve such a word.
 */
export function findNearTerms(reader: InvertedReader, word: Uint8Array, into: FoundTerms): boolean {
  const n = word.length;
  if (n === 0 || n > LONGEST_NEAR || reader.termCount === 0) return false;
  let chars = 0;
  for (let i = 0; i < n; i++) if ((word[i] & 0xc0) !== 0x80) chars++;
  const short = n <= SHORT_LETTERS && chars === n && isAscii(word);
  if (!short && chars < 2) return false;
  const tables = nearTables(reader);
  if (tables === null) return false;
  // The searches swap characters in slices: those of a Buffer would be the word itself.
  const own = new Uint8Array(word);
  if (short) tables.short.find(own, into);
  else tables.halves.find(own, into);
  return true;
}

/**
 * The same for one or two edits, by comparing the word with the terms of about its length. A cold
 * dictionary is walked: the postings of what is found have to be demanded.
 */
export function findWithinEdits(
  reader: InvertedReader,
  { word, edits }: { readonly word: string; readonly edits: number },
  into: FoundTerms,
): boolean {
  const distance = new WordDistance(word);
  if (reader.cold || !distance.serves(edits)) return false;
  const table = lengthTable(reader);
  if (table === null) return false;
  const visit = (term: number) => into.add(table.dfs[term], table.refs[term]);
  distance.find(table, edits, { reach: () => edits, visit });
  return true;
}

function isAscii(word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (word[i] > 127) return false;
  return true;
}
