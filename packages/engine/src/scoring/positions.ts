/**
 * What the kernels need of a phrase's terms: their slots, and where positions of list terms lie.
 */
import { DENSE, SHORT } from '../inverted/format.ts';
import { type Clause, HAS_POSITIONS } from './clause.ts';
import { CURSORS_AT, FIELD, TERM_BYTES, ZERO_AT } from './kernel-memory.ts';
import type { SegmentScorer } from './segment-scorer.ts';

/** Describes the active terms as a phrase. */
export function beginPhrase(scorer: SegmentScorer): void {
  const { i32 } = scorer.reader.arena;
  scorer.describe();
  for (let k = 0; k < scorer.count; k++) {
    const clause = scorer.active[k];
    const at = (TERM_BYTES * k) >> 2;
    i32[at + (FIELD.slot >> 2)] = clause.slot;
    i32[(CURSORS_AT >> 2) + 8 * k] = -1;
    if (clause.kind === DENSE) continue;
    i32[at + (FIELD.positions >> 2)] = clause.positionsStart;
    i32[at + (FIELD.places >> 2)] = clause.kind === SHORT ? ZERO_AT : clause.positionWords << 2;
    i32[at + (FIELD.positionBits >> 2)] = clause.positionBits.byteOffset;
  }
}

/** Makes ready the positions of the list terms of ordered[from .. to): frequencies and bits. */
export function locateHits(scorer: SegmentScorer, from: number, to: number): void {
  for (let k = 0; k < scorer.count && scorer.active[k].kind !== DENSE; k++) {
    if (scorer.active[k].kind !== SHORT) locate(scorer.active[k], scorer, from, to);
  }
}

function locate(clause: Clause, { workspace }: SegmentScorer, from: number, to: number): void {
  const { hits, state } = clause;
  const { ordered } = workspace;
  for (let i = from; i < to; i++) {
    const block = hits[ordered[i]] >> 7;
    if ((state[block] & HAS_POSITIONS) === 0) clause.locateBlock(block);
  }
}
