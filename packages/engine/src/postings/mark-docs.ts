/** Documents of terms as bits. */

import { Pool } from '../base/pool.ts';
import { bitKernelsOf, simdFor } from '../bitmap/bit-kernels.ts';
import type { Arena } from '../storage/directory.ts';
import { blameIndex } from './damage.ts';
import { DENSE, LIST_BLOCK, SHORT } from './format.ts';
import { blockSize, docsAt, docWidthOf, unpackDocs } from './list-terms.ts';
import { decodeShortDocs } from './short-terms.ts';
import type { ListTerm, PostingsSource, TermInfo } from './term-info.ts';

/** Sets the bits of a term's documents. Throws corrupt_index. */
export function fillTerm(source: PostingsSource, info: TermInfo, bits: Int32Array): void {
  blameIndex(() => addTerm(source, info, bits));
}

function addTerm(source: PostingsSource, info: TermInfo, bits: Int32Array): void {
  if (info.kind === SHORT) {
    markShort(source.arena, info.at, info.df, bits);
    return;
  }
  const term = source.big(info);
  if (term.kind === DENSE) addBitmap(source, term.docBitsAt, bits);
  else markList(source, term, bits);
}

/** bits |= a bitmap of the source's documents, at a byte address of its arena. */
export function addBitmap({ arena, ranges }: PostingsSource, at: number, bits: Int32Array): void {
  const simd = simdFor(arena, bits);
  if (simd !== null) {
    simd.or(bits.byteOffset, at, bits.byteLength);
    return;
  }
  const { i32 } = arena;
  for (let i = 0, words = 8 * ranges; i < words; i++) bits[i] |= i32[(at >> 2) + i];
}

/** Sets the bits of a list term's documents, by the kernels if the bits are in the arena. */
export function markList(source: PostingsSource, term: ListTerm, bits: Int32Array): void {
  const { arena } = source;
  const kernels = bits.buffer === arena.memory.buffer ? bitKernelsOf(arena) : null;
  if (kernels === null) {
    unpackList(source, term, bits);
    return;
  }
  let last = -1;
  for (let block = 0; block < term.blocks; block++) {
    const size = blockSize(term, block);
    const data = docsAt(arena, term, block);
    const width = docWidthOf(arena, term, block);
    last = kernels.mark(data, size, width, last, bits.byteOffset, source.docs);
  }
}

function unpackList({ arena }: PostingsSource, term: ListTerm, bits: Int32Array): void {
  const docs = blocks.take();
  for (let block = 0; block < term.blocks; block++) {
    unpackDocs(arena, term, block, docs, 0);
    setBits(bits, docs, blockSize(term, block));
  }
  blocks.give(docs);
}

/** Documents of a block that are being marked. */
const blocks = new Pool(() => new Int32Array(LIST_BLOCK));

/** Sets the bits of the documents of a short term, whose postings are at a byte address. */
export function markShort({ u8 }: Arena, at: number, df: number, bits: Int32Array): void {
  const docs = blocks.take();
  setBits(bits, docs, decodeShortDocs(u8, at, df, docs, 0x7fffffff));
  blocks.give(docs);
}

function setBits(bits: Int32Array, docs: Int32Array, count: number): void {
  for (let i = 0; i < count; i++) bits[docs[i] >> 5] |= 1 << docs[i];
}
