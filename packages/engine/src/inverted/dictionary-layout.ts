import type { Arena } from '../storage/directory.ts';
import { BLOCK_WORDS, DICTIONARY_BLOCK, type InvertedSections } from './format.ts';

/** Where the parts of a component's dictionary are (format.ts): what walks over entries read. */
export interface DictionaryLayout {
  readonly arena: Arena;
  readonly terms: number;
  /** Word address of the blocks' index entries. */
  readonly index: number;
  /** Byte address of the entries, and of their end. */
  readonly entries: number;
  readonly end: number;
  /** Byte address from which the index counts postings of short terms. */
  readonly small: number;
}

/** Byte addresses of the entries of blocks from .. to. */
export function entriesOf(
  { arena, index, entries, end, terms }: DictionaryLayout,
  from: number,
  to: number,
): { readonly from: number; readonly to: number } {
  const at = (block: number) =>
    block * DICTIONARY_BLOCK >= terms ? end : entries + arena.i32[index + block * BLOCK_WORDS + 2];
  return { from: at(from), to: at(to) };
}

/** The layout of a dictionary. */
export function dictionaryLayout(
  arena: Arena,
  { blocks, dictionary, small }: InvertedSections,
  terms: number,
): DictionaryLayout {
  return {
    arena,
    terms,
    index: blocks.at >> 2,
    entries: dictionary.at,
    end: dictionary.at + dictionary.bytes,
    small: small.at,
  };
}
