/** Descriptors of the terms of a phrase with a list term, for its kernels (memory.ts). */
import { describeDense } from '../kernel/describe-terms.ts';
import { CURSORS_AT, FIELD, TERM_BYTES, ZERO_AT } from '../kernel/kernel-memory.ts';
import type { SegmentScorer } from '../segment-scorer.ts';
import type { TermScorer } from '../term-scorer.ts';
import { LIST_FIELD } from './memory.ts';

/** Describes the active terms, of which the first `lists` are lists or short. */
export function describeListPhrase({ reader, active, count }: SegmentScorer, lists: number): void {
  const { i32 } = reader.arena;
  for (let k = 0; k < count; k++) {
    const term = active[k];
    const at = (TERM_BYTES * k) >> 2;
    if (k < lists) describeList(i32, at, term);
    else if (term.dense !== null) describeDense(i32, at, term.dense);
    i32[at + (FIELD.phrasePosition >> 2)] = term.position;
    i32[(CURSORS_AT >> 2) + 8 * k] = -1;
  }
}

function describeList(i32: Int32Array, at: number, term: TermScorer): void {
  const { list } = term;
  i32[at + (LIST_FIELD.docs >> 2)] = term.docs.byteOffset;
  i32[at + (LIST_FIELD.df >> 2)] = term.df;
  i32[at + (LIST_FIELD.blocks >> 2)] = term.blocks;
  i32[at + (FIELD.frequencies >> 2)] = term.frequencies.byteOffset;
  i32[at + (FIELD.hits >> 2)] = term.hits.byteOffset;
  i32[at + (FIELD.positionBits >> 2)] = term.positionBits.byteOffset;
  if (list === null) {
    i32[at + (LIST_FIELD.lastDocs >> 2)] = 0;
    i32[at + (LIST_FIELD.data >> 2)] = term.id;
    i32[at + (FIELD.places >> 2)] = ZERO_AT;
    return;
  }
  i32[at + (LIST_FIELD.lastDocs >> 2)] = list.lastDocsAt;
  i32[at + (LIST_FIELD.heads >> 2)] = list.blockHeadsAt;
  i32[at + (LIST_FIELD.dataOffsets >> 2)] = list.dataOffsetsAt;
  i32[at + (LIST_FIELD.data >> 2)] = list.blockDataAt;
  i32[at + (FIELD.positions >> 2)] = list.blockPositionsAt;
  i32[at + (FIELD.places >> 2)] = list.positionOffsetsAt;
}
