/**
 * What searches for patterns keep of an open dictionary, in memory only: the reversed dictionary,
 * the short words, the lowest document of each block, the terms by length.
 */
import { LazyTable } from '../../base/lazy-table.ts';
import { firstDocument } from '../../postings/lowest-docs.ts';
import { DICTIONARY_BLOCK } from '../format.ts';
import type { InvertedReader } from '../inverted-reader.ts';
import { EntryWalk } from './entry-walk.ts';
import { NearSearch } from './near-search.ts';
import { headOf, type ReversedTerms, reverseTerms } from './reversed-terms.ts';
import { readShortWords, ShortWordSearch, type ShortWords } from './short-words.ts';
import { type TermsByLength, termsByLength } from './terms-by-length.ts';

/** Making a table costs about as much as this many searches without it. */
export const ASKS_BEFORE_TABLES = 16;
/** Dictionaries with more terms go without. */
export const MAX_TABLED_TERMS = 1 << 21;
/** Searches for words within one edit. */
export interface NearTables {
  readonly bytes: number;
  readonly halves: NearSearch;
  readonly short: ShortWordSearch;
}

function makeNear(reader: InvertedReader): NearTables {
  const reversed = reverseTerms(reader);
  const words = readShortWords(reader);
  return {
    bytes: bytesOf(reversed) + bytesOf(words) + words.dfs.byteLength,
    halves: new NearSearch(reader, reversed),
    short: new ShortWordSearch(reader, words),
  };
}

function bytesOf(arrays: ReversedTerms | ShortWords): number {
  let sum = 0;
  for (const value of Object.values(arrays))
    sum += ArrayBuffer.isView(value) ? value.byteLength : 0;
  return sum;
}

/** Of each dictionary block the lowest document of any term, and how its first term begins. */
export interface BlockMinima {
  readonly bytes: number;
  readonly lowest: Int32Array;
  /** The first four bytes, the first one highest, missing ones 0: close by for look-ups. */
  readonly heads: Uint32Array;
}

function makeMinima(reader: InvertedReader): BlockMinima {
  const blocks = Math.ceil(reader.termCount / DICTIONARY_BLOCK);
  const lowest = new Int32Array(blocks).fill(reader.docs);
  const heads = new Uint32Array(blocks);
  const walk = new EntryWalk(reader);
  for (let block = 0; block < blocks; block++) {
    walk.enter(block);
    for (let i = 0; i < DICTIONARY_BLOCK && walk.next(); i++) {
      if (i === 0) heads[block] = headOf(reader.arena.u8, walk.at, walk.rest, 0);
      const doc = firstDocument(reader, walk.df, walk.ref);
      if (doc < lowest[block]) lowest[block] = doc;
    }
  }
  return { bytes: lowest.byteLength + heads.byteLength, lowest, heads };
}

interface Tables {
  readonly near: LazyTable<InvertedReader, NearTables>;
  readonly minima: LazyTable<InvertedReader, BlockMinima>;
  readonly lengths: LazyTable<InvertedReader, TermsByLength>;
}

const tables = new WeakMap<InvertedReader, Tables>();

function tablesOf(reader: InvertedReader): Tables | null {
  if (reader.termCount > MAX_TABLED_TERMS) return null;
  let own = tables.get(reader);
  if (own === undefined) {
    own = {
      near: new LazyTable(ASKS_BEFORE_TABLES, makeNear),
      minima: new LazyTable(ASKS_BEFORE_TABLES, makeMinima),
      lengths: new LazyTable(ASKS_BEFORE_TABLES, termsByLength),
    };
    tables.set(reader, own);
  }
  return own;
}

/**
 * What searches by one edit need; null: not made yet, or never for so large a dictionary, or for a
 * cold one: its postings have to be demanded, by terms and not by the references of tables.
 */
export const nearTables = (reader: InvertedReader): NearTables | null =>
  reader.cold ? null : (tablesOf(reader)?.near.get(reader) ?? null);

/** Lowest documents by block; null likewise. */
export const blockMinima = (reader: InvertedReader): BlockMinima | null =>
  reader.cold ? null : (tablesOf(reader)?.minima.get(reader) ?? null);

/** The terms by length, of a cold dictionary too; null: not made yet, or never for so large a one. */
export const lengthTable = (reader: InvertedReader): TermsByLength | null =>
  tablesOf(reader)?.lengths.get(reader) ?? null;
