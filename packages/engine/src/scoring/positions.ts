/**
 * Phrase frequencies: where the positions of a document lie in every term, and how often the terms
 * stand at their slots.
 */
import { DENSE, RANGE_SHIFT } from '../inverted/format.ts';
import { type Clause, HAS_POSITIONS } from './clause.ts';
import { CURSORS_AT, FIELD, TERM_BYTES } from './kernel-memory.ts';
import type { SegmentScorer } from './segment-scorer.ts';

/** Makes the kernels ready for the phrase of the active terms. Lists come first among them. */
export function beginPhrase(scorer: SegmentScorer): void {
  const { i32 } = scorer.reader.arena;
  scorer.describe();
  for (let k = 0; k < scorer.count; k++) {
    const clause = scorer.active[k];
    const at = (TERM_BYTES * k) >> 2;
    i32[at + (FIELD.located >> 2)] = clause.kind === DENSE ? 0 : 1;
    i32[at + (FIELD.slot >> 2)] = clause.slot;
    i32[(CURSORS_AT >> 2) + 8 * k] = -1;
  }
}

/**
 * How often the phrase stands in a document that holds all its terms; `hit`: its number among the
 * survivors of lists.
 */
export function phraseFrequency(
  scorer: SegmentScorer,
  doc: number,
  hit: number,
  once: 0 | 1,
): number {
  const { active, count, reader } = scorer;
  for (let k = 0; k < count && active[k].kind !== DENSE; k++) {
    placeList(scorer, active[k], k, active[k].hits[hit]);
  }
  const width = reader.widths[reader.extents[doc]];
  const extentsAt = reader.extents.byteOffset;
  const found = scorer.kernels.phrase(count, doc, extentsAt, width, once);
  return found >= 0 ? found : walkedFrequency(scorer, doc);
}

/**
 * The same where the start of a group of some dense term is not stored; list terms are placed
 * already.
 */
export function walkedFrequency(scorer: SegmentScorer, doc: number): number {
  const { active, count, reader } = scorer;
  for (let k = 0; k < count; k++) {
    if (active[k].kind === DENSE) placeDense(scorer, active[k], k, doc);
  }
  const width = reader.widths[reader.extents[doc]];
  const found = scorer.kernels.phrase(count, doc, reader.extents.byteOffset, width, 0);
  for (let k = 0; k < count; k++) {
    if (active[k].kind !== DENSE) continue;
    reader.arena.i32[(TERM_BYTES * k + FIELD.located) >> 2] = 0;
    reader.arena.i32[(CURSORS_AT >> 2) + 8 * k] = -1;
  }
  return found;
}

function place(scorer: SegmentScorer, k: number, tf: number, byte: number, bit: number): void {
  const { i32 } = scorer.reader.arena;
  const at = (TERM_BYTES * k) >> 2;
  i32[at + (FIELD.tf >> 2)] = tf;
  i32[at + (FIELD.byte >> 2)] = byte;
  i32[at + (FIELD.bit >> 2)] = bit;
  i32[at + (FIELD.located >> 2)] = 1;
}

function placeList(scorer: SegmentScorer, clause: Clause, k: number, i: number): void {
  const block = i >> 7;
  if ((clause.state[block] & HAS_POSITIONS) === 0) clause.locateBlock(block);
  place(scorer, k, clause.frequencies[i], clause.positionsOf(block), clause.positionBits[i]);
}

/** Walks from the start of the range: for groups whose start does not fit a byte. */
function placeDense(scorer: SegmentScorer, clause: Clause, k: number, doc: number): void {
  const { u8, i32, view } = scorer.reader.arena;
  const { widths, extents } = scorer.reader;
  const range = doc >> RANGE_SHIFT;
  const width = u8[clause.widthAt + range];
  const boundary = clause.boundary(range);
  const frequency = (bit: number): number => {
    if (width === 0) return 1;
    const word = view.getInt32(boundary - ((bit + 7) >> 3), true);
    return ((word >>> (-bit & 7)) & (2 ** width - 1)) + 1;
  };
  let posting = 0;
  let bits = 0;
  for (let w = range << 3; ; w++) {
    if ((w & 1) === 0) bits = (bits + 7) & ~7;
    let word = i32[clause.bitmapWords + w];
    if (w === doc >> 5) word &= 2 ** (doc & 31) - 1;
    for (; word !== 0; word &= word - 1) {
      const other = (w << 5) + 31 - Math.clz32(word & -word);
      bits += frequency(++posting * width) * widths[extents[other]];
    }
    if (w === doc >> 5) break;
  }
  place(scorer, k, frequency((posting + 1) * width), boundary, bits);
}
