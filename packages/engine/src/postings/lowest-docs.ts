/** Documents of terms in rising order, as long as someone takes them. Terms by `termRef`. */
import { firstOfDense } from './dense-terms.ts';
import { DENSE } from './format.ts';
import { blockSize, docsAt, docWidthOf, firstOfList, packedAt } from './list-terms.ts';
import { decodeShortDocs, firstOfShort } from './short-terms.ts';
import {
  BIG,
  type BigTerm,
  type DenseTerm,
  type ListTerm,
  type PostingsSource,
} from './term-info.ts';

/** Takes rising documents; those from `end` on are not taken any more, which may sink. */
export interface RisingDocs {
  readonly end: number;
  offer(doc: number): void;
}

/** Opens the big term of a reference below 0. */
export const bigTermAt = (source: PostingsSource, df: number, ref: number): BigTerm =>
  source.big({ df, kind: BIG, at: -1 - ref });

/** Offers a term's documents, rising, until one is too high. `scratch`: room for 128 documents. */
export function offerDocs(
  source: PostingsSource,
  df: number,
  ref: number,
  into: RisingDocs,
  scratch: Int32Array,
): void {
  if (ref < 0) {
    const term = bigTermAt(source, df, ref);
    if (term.kind === DENSE) offerDense(source, term, into);
    else offerList(source, term, into);
    return;
  }
  const n = decodeShortDocs(source.arena.u8, ref, df, scratch, into.end);
  for (let i = 0; i < n && scratch[i] < into.end; i++) into.offer(scratch[i]);
}

/** The first document of a term. */
export function firstDocument(source: PostingsSource, df: number, ref: number): number {
  if (ref >= 0) return firstOfShort(source.arena.u8, ref);
  const term = bigTermAt(source, df, ref);
  return term.kind === DENSE ? firstOfDense(source, term) : firstOfList(source.arena, term);
}

/** Value by value: few are needed, and unpacking a block costs as much as 128. */
function offerList({ arena }: PostingsSource, term: ListTerm, into: RisingDocs): void {
  let doc = -1;
  for (let block = 0; block < term.blocks; block++) {
    const width = docWidthOf(arena, term, block);
    const from = docsAt(arena, term, block) >> 2;
    const size = blockSize(term, block);
    for (let i = 0; i < size; i++) {
      doc += packedAt(arena.i32, from, i * width, width) + 1;
      if (doc >= into.end) return;
      into.offer(doc);
    }
  }
}

function offerDense({ arena, ranges }: PostingsSource, term: DenseTerm, into: RisingDocs): void {
  const { i32 } = arena;
  const at = term.docBitsAt >> 2;
  for (let i = 0; i < 8 * ranges && 32 * i < into.end; i++) {
    for (let word = i32[at + i]; word !== 0; word &= word - 1) {
      const doc = 32 * i + 31 - Math.clz32(word & -word);
      if (doc >= into.end) return;
      into.offer(doc);
    }
  }
}
