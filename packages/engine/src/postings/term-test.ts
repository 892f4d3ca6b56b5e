/** Whether single documents hold a term. */
import { lowerBound, lowerBoundIn } from '../base/arrays/lower-bound.ts';
import { denseHolds } from './dense-terms.ts';
import { DENSE, LIST_BLOCK, SHORT } from './format.ts';
import { blockHolding, blockSize, unpackDocs } from './list-terms.ts';
import { decodeShortDocs } from './short-terms.ts';
import type { ListTerm, PostingsSource, TermInfo } from './term-info.ts';

/** A look at single documents of a term. */
export interface TermTest {
  /** True when the document holds the term. */
  readonly has: (doc: number) => boolean;
  /** After so many calls marking all of its documents would have been cheaper; Infinity: never. */
  readonly hasUpTo: number;
}

/** The test of a term. Nothing is decoded before the first call. */
export function termTest(source: PostingsSource, info: TermInfo): TermTest {
  if (info.kind === SHORT) return { has: shortTest(source, info), hasUpTo: Infinity };
  const term = source.big(info);
  if (term.kind !== DENSE) return { has: listTest(source, term), hasUpTo: term.blocks };
  const { arena } = source;
  return { has: (doc) => denseHolds(arena, term, doc), hasUpTo: Infinity };
}

function shortTest({ arena }: PostingsSource, { at, df }: TermInfo): (doc: number) => boolean {
  let docs: Int32Array | null = null;
  return (doc) => {
    if (docs === null) {
      docs = new Int32Array(df);
      decodeShortDocs(arena.u8, at, df, docs, 0x7fffffff);
    }
    return docs[lowerBound(docs, doc)] === doc;
  };
}

/** Decodes the block that may hold a document; the last one is kept. */
function listTest(source: PostingsSource, term: ListTerm): (doc: number) => boolean {
  const blocks = new ListLook();
  return (doc) => blocks.holds(source, term, doc);
}

/** Looks at single documents of list terms; keeps the block of documents decoded last. */
export class ListLook {
  readonly #docs = new Int32Array(LIST_BLOCK);
  #term: ListTerm | null = null;
  #block = -1;

  /** True when the document holds the term. */
  holds({ arena }: PostingsSource, term: ListTerm, doc: number): boolean {
    const block = blockHolding(arena, term, doc);
    if (block === term.blocks) return false;
    if (block !== this.#block || term !== this.#term) {
      unpackDocs(arena, term, block, this.#docs, 0);
      this.#block = block;
      this.#term = term;
    }
    return this.#docs[lowerBoundIn(this.#docs, doc, 0, blockSize(term, block))] === doc;
  }
}
