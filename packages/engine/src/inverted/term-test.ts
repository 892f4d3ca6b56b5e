/** Whether single documents hold a term. */
import { lowerBound } from '../base/lower-bound.ts';
import { decodeListDocs, decodeShort } from './cursors.ts';
import { DENSE, LIST_BLOCK, SHORT } from './format.ts';
import type { InvertedReader } from './inverted-reader.ts';
import type { BigTerm, TermInfo } from './term-info.ts';

/** A look at single documents of a term. */
export interface TermTest {
  /** True when the document holds the term. */
  readonly has: (doc: number) => boolean;
  /** After so many calls marking all of its documents would have been cheaper; Infinity: never. */
  readonly hasUpTo: number;
}

/** The test of a term. Nothing is decoded before the first call. */
export function termTest(reader: InvertedReader, info: TermInfo): TermTest {
  if (info.kind === SHORT) return { has: shortTest(reader, info), hasUpTo: Infinity };
  const term = reader.big(info);
  if (term.kind !== DENSE) return { has: listTest(reader, term), hasUpTo: term.blocks };
  const { i32 } = reader.arena;
  const words = term.start >> 2;
  const has = (doc: number) => ((i32[words + (doc >> 5)] >>> doc) & 1) === 1;
  return { has, hasUpTo: Infinity };
}

const frequencies = new Int32Array(LIST_BLOCK);

function shortTest(reader: InvertedReader, info: TermInfo): (doc: number) => boolean {
  let docs: Int32Array | null = null;
  return (doc) => {
    if (docs === null) decodeShort(reader, info, (docs = new Int32Array(info.df)), frequencies);
    return docs[lowerBound(docs, doc)] === doc;
  };
}

/** Decodes the block in which a document would stand; the last one is kept. */
function listTest(reader: InvertedReader, term: BigTerm): (doc: number) => boolean {
  let docs: Int32Array | null = null;
  let decoded = -1;
  return (doc) => {
    const block = blockHolding(reader, term, doc);
    if (block === term.blocks) return false;
    docs ??= new Int32Array(LIST_BLOCK);
    if (block !== decoded) decodeListDocs(reader, term, block, docs, 0);
    decoded = block;
    return isInBlock(docs, term, block, doc);
  };
}

const blockDocs = new Int32Array(LIST_BLOCK);

/** Whether a document holds a list term: for a single look at each of many terms. */
export function listHolds(reader: InvertedReader, term: BigTerm, doc: number): boolean {
  const block = blockHolding(reader, term, doc);
  if (block === term.blocks) return false;
  decodeListDocs(reader, term, block, blockDocs, 0);
  return isInBlock(blockDocs, term, block, doc);
}

/** The block in which a document would stand; the number of blocks where all end before it. */
function blockHolding({ arena }: InvertedReader, term: BigTerm, doc: number): number {
  const lasts = term.start >> 2;
  return placeIn(arena.i32, lasts, lasts + term.blocks, doc) - lasts;
}

function isInBlock(docs: Int32Array, term: BigTerm, block: number, doc: number): boolean {
  const end = Math.min(LIST_BLOCK, term.df - block * LIST_BLOCK);
  return docs[placeIn(docs, 0, end, doc)] === doc;
}

/** The first place of [from, to) whose number is not below `doc`; `to` where there is none. */
function placeIn(numbers: Int32Array, from: number, to: number, doc: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
