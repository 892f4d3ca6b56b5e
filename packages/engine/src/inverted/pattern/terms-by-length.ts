import { isAscii, isUtf8 } from 'node:buffer';
import { DICTIONARY_BLOCK } from '../format.ts';
import type { InvertedReader } from '../inverted-reader.ts';
import { EntryWalk } from './entry-walk.ts';
import { doubled } from './reversed-terms.ts';

/** Terms of more code points are left out: words have a bit for each of theirs. */
export const LONGEST_BY_LENGTH = 32;
/** Bytes of a code point at most. */
const WIDEST = 4;

/**
 * The terms of a dictionary by their length in code points, those of a length by falling number of
 * documents; in memory only. For searches for words within two edits, which are few among terms
 * of about their length.
 */
export interface TermsByLength {
  readonly bytes: number;
  /** Terms of n code points: starts[n] .. starts[n + 1]. */
  readonly starts: Int32Array;
  /** A bit for each code point of the term: its lowest five bits. */
  readonly letters: Int32Array;
  /** Documents, deleted ones too, and EntryWalk.ref. */
  readonly dfs: Int32Array;
  readonly refs: Int32Array;
  /** UTF-8 of term i: text[at[i] .. at[i + 1]). */
  readonly at: Int32Array;
  readonly text: Uint8Array;
}

/** Reads a dictionary: one walk, one sort. */
export function termsByLength(reader: InvertedReader): TermsByLength {
  const pool = readTerms(reader);
  const size = pool.dfs.length;
  const order = sorted(pool);
  const table = {
    starts: new Int32Array(LONGEST_BY_LENGTH + 2),
    letters: new Int32Array(size),
    dfs: new Int32Array(size),
    refs: new Int32Array(size),
    at: new Int32Array(size + 1),
    text: new Uint8Array(pool.size),
  };
  for (let i = 0; i < size; i++) {
    const id = order[i];
    const term = pool.bytes.subarray(pool.starts[id], pool.starts[id + 1]);
    table.starts[pool.lengths[id] + 1]++;
    table.letters[i] = lettersOf(term);
    table.dfs[i] = pool.dfs[id];
    table.refs[i] = pool.refs[id];
    table.text.set(term, table.at[i]);
    table.at[i + 1] = table.at[i] + term.length;
  }
  for (let n = 0; n <= LONGEST_BY_LENGTH; n++) table.starts[n + 1] += table.starts[n];
  const arrays = Object.values(table);
  return { ...table, bytes: arrays.reduce((sum, array) => sum + array.byteLength, 0) };
}

/** Terms in the order of the dictionary. */
interface TermPool {
  readonly bytes: Uint8Array;
  /** Bytes of all terms together. */
  readonly size: number;
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
  readonly dfs: readonly number[];
  readonly refs: readonly number[];
}

function readTerms(reader: InvertedReader): TermPool {
  const most = WIDEST * LONGEST_BY_LENGTH;
  const term = new Uint8Array(most);
  const [starts, lengths, dfs, refs]: number[][] = [[0], [], [], []];
  let bytes = new Uint8Array(16 * reader.termCount + most);
  let size = 0;
  const walk = new EntryWalk({ dictionary: reader.entries });
  for (let i = 0; i < reader.termCount; i++) {
    if (i % DICTIONARY_BLOCK === 0) walk.enter(i / DICTIONARY_BLOCK);
    walk.next();
    // What is cut off here belongs to terms that are left out.
    const length = walk.copy(term);
    const points = length > most ? LONGEST_BY_LENGTH + 1 : pointsOf(term.subarray(0, length));
    if (points > LONGEST_BY_LENGTH) continue;
    if (size + length > bytes.length) bytes = doubled(bytes);
    bytes.set(term.subarray(0, length), size);
    size += length;
    starts.push(size);
    lengths.push(points);
    dfs.push(walk.df);
    refs.push(walk.ref);
  }
  return { bytes, size, starts, lengths, dfs, refs };
}

/** Code points of a term; more than are held where it is no UTF-8, which no word is near. */
function pointsOf(term: Uint8Array): number {
  if (isAscii(term)) return term.length;
  if (!isUtf8(term)) return LONGEST_BY_LENGTH + 1;
  let points = 0;
  for (const byte of term) if ((byte & 0xc0) !== 0x80) points++;
  return points;
}

/** Numbers of the terms by length, then falling documents. */
function sorted({ lengths, dfs }: TermPool): Int32Array {
  const order = Int32Array.from(dfs, (_, i) => i);
  return order.sort((a, b) => lengths[a] - lengths[b] || dfs[b] - dfs[a] || a - b);
}

/** The bits of the code points of a term, which is UTF-8. */
export function lettersOf(term: Uint8Array): number {
  let letters = 0;
  // The last byte of a code point has its lowest six bits.
  for (let i = 0; i < term.length; i++) {
    if (i + 1 === term.length || (term[i + 1] & 0xc0) !== 0x80) letters |= 1 << (term[i] & 31);
  }
  return letters;
}
