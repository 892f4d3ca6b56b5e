/**
 * Descriptors of the terms of a phrase, for its kernels (kernel-memory.ts, memory.ts): the one file
 * outside of postings/ that hands the addresses of a term's parts on.
 */
import type { DenseTerm } from '../../postings/term-info.ts';
import { CURSORS_AT, FIELD, TERM_BYTES, ZERO_AT } from '../kernel/kernel-memory.ts';
import { LIST_FIELD } from './memory.ts';
import type { PhraseRun } from './phrase-run.ts';
import type { PhraseTerm } from './phrase-term.ts';

/** Describes the terms of a phrase. */
export function describePhrase({ segment: { reader }, terms }: PhraseRun): void {
  const { i32 } = reader.arena;
  terms.forEach((term, k) => {
    const at = (TERM_BYTES * k) >> 2;
    if (term.dense === null) describeList(i32, at, term);
    else describeDense(i32, at, term.dense);
    i32[at + (FIELD.phrasePosition >> 2)] = term.position;
    i32[(CURSORS_AT >> 2) + 8 * k] = -1;
  });
}

function describeDense(i32: Int32Array, at: number, dense: DenseTerm): void {
  i32[at + (FIELD.bitmap >> 2)] = dense.docBitsAt;
  i32[at + (FIELD.base >> 2)] = dense.baseOffsetsAt;
  i32[at + (FIELD.offset >> 2)] = dense.rangeOffsetsAt;
  i32[at + (FIELD.payload >> 2)] = dense.rangeDataAt;
  i32[at + (FIELD.impact >> 2)] = dense.rangeImpactsAt;
  i32[at + (FIELD.width >> 2)] = dense.rangeWidthsAt;
  i32[at + (FIELD.group >> 2)] = dense.groupOffsetsAt;
  i32[at + (FIELD.offsetShift >> 2)] = dense.wide ? 2 : 1;
  i32[at + (FIELD.offsetMask >> 2)] = dense.wide ? -1 : 0xffff;
  i32[at + (FIELD.baseMask >> 2)] = dense.wide ? 0 : -1;
}

function describeList(i32: Int32Array, at: number, term: PhraseTerm): void {
  const { list } = term;
  i32[at + (LIST_FIELD.docs >> 2)] = term.docs.byteOffset;
  i32[at + (LIST_FIELD.df >> 2)] = term.df;
  i32[at + (LIST_FIELD.blocks >> 2)] = term.blocks;
  i32[at + (FIELD.frequencies >> 2)] = term.frequencies.byteOffset;
  i32[at + (FIELD.hits >> 2)] = term.hits.byteOffset;
  i32[at + (FIELD.positionBits >> 2)] = term.positionBits.byteOffset;
  if (list === null) {
    i32[at + (LIST_FIELD.lastDocs >> 2)] = 0;
    i32[at + (LIST_FIELD.data >> 2)] = term.at;
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
