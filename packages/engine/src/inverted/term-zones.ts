import { decodeListDocs, decodeShort } from './cursors.ts';
import { DENSE, LIST_BLOCK, SHORT } from './format.ts';
import type { InvertedReader } from './inverted-reader.ts';
import type { BigTerm, TermInfo } from './term-info.ts';

/** Sets the bits of a zone's documents in a bitmap of the whole segment. */
export type FillZone = (zone: number, bits: Int32Array) => void;

const ZONE_SHIFT = 10;
const ZONE_WORDS = 32;

/** The documents of a term by zone of 1,024, in any order of zones: only what is asked is decoded. */
export function termZones(reader: InvertedReader, info: TermInfo): FillZone {
  if (info.kind === SHORT) return shortZones(reader, info);
  const term = reader.big(info);
  return term.kind === DENSE ? denseZones(reader, term) : listZones(reader, term);
}

function shortZones(reader: InvertedReader, info: TermInfo): FillZone {
  const docs = new Int32Array(LIST_BLOCK);
  decodeShort(reader, info, docs, new Int32Array(LIST_BLOCK));
  return (zone, bits) => {
    for (let i = 0; i < info.df; i++) {
      if (docs[i] >> ZONE_SHIFT === zone) bits[docs[i] >> 5] |= 1 << docs[i];
    }
  };
}

function denseZones(reader: InvertedReader, term: BigTerm): FillZone {
  const { i32 } = reader.arena;
  const from = term.start >> 2;
  return (zone, bits) => {
    const end = Math.min((zone + 1) * ZONE_WORDS, 8 * reader.ranges);
    for (let i = zone * ZONE_WORDS; i < end; i++) bits[i] |= i32[from + i];
  };
}

function listZones(reader: InvertedReader, term: BigTerm): FillZone {
  const { i32 } = reader.arena;
  const lasts = term.start >> 2;
  const docs = new Int32Array(LIST_BLOCK);
  let decoded = -1;
  return (zone, bits) => {
    const first = zone << ZONE_SHIFT;
    const end = first + (1 << ZONE_SHIFT);
    for (let block = blockFrom(reader, term, first); block < term.blocks; block++) {
      if (block > 0 && i32[lasts + block - 1] >= end - 1) return;
      if (decoded !== block) decodeListDocs(reader, term, block, docs, 0);
      decoded = block;
      const size = Math.min(LIST_BLOCK, term.df - block * LIST_BLOCK);
      for (let i = 0; i < size; i++) {
        if (docs[i] >= first && docs[i] < end) bits[docs[i] >> 5] |= 1 << docs[i];
      }
    }
  };
}

/** The first block that ends at or after a document. */
function blockFrom({ arena }: InvertedReader, term: BigTerm, doc: number): number {
  const lasts = term.start >> 2;
  let low = 0;
  let high = term.blocks;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (arena.i32[lasts + middle] < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
