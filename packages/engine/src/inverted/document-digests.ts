import { finishLane, mixHigh, mixLow } from '../base/bytes/two-lane-hash.ts';
import { TermBlocks } from '../postings/term-blocks.ts';
import type { InvertedReader } from './inverted-reader.ts';
import type { TermCursor } from './term-cursor.ts';

/** Sums of hashes, two lanes per slot, mod 2^32: the order of additions does not matter. */
export interface DigestLanes {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

/**
 * Adds a hash of each term of a document, with its positions, to the document's slot; `slots`: by
 * document, -1 for one that is left out. Two documents with equal sums have the same terms at the
 * same positions. Every posting of the component is read once.
 */
export function addTermDigests(
  reader: InvertedReader,
  slots: Int32Array,
  lanes: DigestLanes,
): void {
  const blocks = new TermBlocks(reader);
  const cursor = reader.terms();
  const term = new Int32Array(2);
  while (cursor.next()) {
    hashTerm(cursor, term);
    blocks.open(cursor.info());
    while (blocks.next()) addRun(reader, blocks, slots, term, lanes);
  }
}

function hashTerm({ source, length }: TermCursor, into: Int32Array): void {
  let low = mixLow(0, length);
  let high = mixHigh(0, length);
  for (let i = 0; i < length; i++) {
    low = mixLow(low, source[i]);
    high = mixHigh(high, source[i]);
  }
  into[0] = low;
  into[1] = high;
}

function addRun(
  reader: InvertedReader,
  blocks: TermBlocks,
  slots: Int32Array,
  term: Int32Array,
  { low, high }: DigestLanes,
): void {
  const { docs, frequencies, from, to } = blocks;
  const { view } = reader.arena;
  for (let i = from; i < to; i++) {
    const slot = slots[docs[i]];
    let a = term[0];
    let b = term[1];
    if (reader.text) {
      const width = reader.widths[reader.widthCodes[docs[i]]];
      const mask = 2 ** width - 1;
      const end = blocks.bits + frequencies[i] * width;
      for (let at = blocks.bits; slot >= 0 && at < end; at += width) {
        const word = view.getInt32(blocks.positionsAt + (at >>> 3), true);
        const position = (word >>> (at & 7)) & mask;
        a = mixLow(a, position);
        b = mixHigh(b, position);
      }
      blocks.bits = end;
    }
    if (slot < 0) continue;
    low[slot] += finishLane(a);
    high[slot] += finishLane(b);
  }
}
