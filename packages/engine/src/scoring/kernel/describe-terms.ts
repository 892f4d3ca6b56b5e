/**
 * Descriptors of terms, for the kernels (kernel-memory.ts): the one file outside of postings/ that
 * hands the addresses of a term's parts on.
 */
import { LIST } from '../../postings/format.ts';
import type { DenseTerm, ListTerm } from '../../postings/term-info.ts';
import type { Arena } from '../../storage/directory.ts';
import type { TermScorer } from '../term-scorer.ts';
import { CURSORS_AT, FIELD, TERM_BYTES } from './kernel-memory.ts';
import type { KernelFrames, ListScan } from './kernels.ts';

/** Describes terms[0 .. count). `impacts`: by code. */
export function describeTerms(
  arena: Arena,
  terms: readonly TermScorer[],
  count: number,
  impacts: Float64Array,
): void {
  const { i32, f64 } = arena;
  for (let k = 0; k < count; k++) {
    const term = terms[k];
    const at = (TERM_BYTES * k) >> 2;
    f64[(TERM_BYTES * k + FIELD.weight) >> 3] = term.weight;
    if (term.dense !== null) {
      term.fillBounds(impacts);
      i32[at + (FIELD.bounds >> 2)] = term.bounds.byteOffset;
      describeDense(i32, at, term.dense);
    } else {
      i32[at + (FIELD.frequencies >> 2)] = term.frequencies.byteOffset;
      i32[at + (FIELD.hits >> 2)] = term.hits.byteOffset;
    }
  }
}

/** Describes the postings of a dense term at word `at`. */
export function describeDense(i32: Int32Array, at: number, dense: DenseTerm): void {
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

/** Adds to the descriptors of dense terms[0 .. count) what makes them a phrase. */
export function describePhrase(arena: Arena, terms: readonly TermScorer[], count: number): void {
  const { i32 } = arena;
  for (let k = 0; k < count; k++) {
    i32[(TERM_BYTES * k + FIELD.phrasePosition) >> 2] = terms[k].position;
    i32[(CURSORS_AT >> 2) + 8 * k] = -1;
  }
}

/** Runs the compiled kernel `list` over blocks [from, to) of a term. */
export function scanList(
  kernel: (...values: number[]) => number,
  { list, codesAt, blockedAt, leastCode, weight, theta }: ListScan,
  from: number,
  to: number,
): number {
  return kernel(
    from,
    to,
    list.lastDocsAt,
    list.blockHeadsAt,
    list.dataOffsetsAt,
    list.blockDataAt,
    list.df,
    codesAt,
    blockedAt,
    leastCode,
    weight,
    theta,
  );
}

const NO_LIST: ListTerm = Object.freeze({
  kind: LIST,
  df: 0,
  tenthImpact: 0,
  bestImpact: 0,
  blocks: 0,
  lastDocsAt: 0,
  blockHeadsAt: 0,
  dataOffsetsAt: 0,
  positionOffsetsAt: 0,
  blockDataAt: 0,
  blockPositionsAt: 0,
});

/** Doubles are not whole from the start, so that the frames keep their shapes. */
const DOUBLE = 0.5;

/** Frames of the kernels, to be filled in. */
export function newFrames(): KernelFrames {
  const phrase = { terms: 0, orderAt: 0, boundsAt: 0, codesAt: 0, widthCodesAt: 0 };
  return {
    ranges: {
      terms: 0,
      orderAt: 0,
      boundsAt: 0,
      codesAt: 0,
      excluded: 0,
      theta: DOUBLE,
      low: DOUBLE,
    },
    survivors: {
      lists: 0,
      dense: 0,
      survivorsAt: 0,
      codesAt: 0,
      theta: DOUBLE,
      low: DOUBLE,
      denseMax: DOUBLE,
    },
    list: { list: NO_LIST, codesAt: 0, blockedAt: 0, leastCode: 0, weight: DOUBLE, theta: DOUBLE },
    bounds: { terms: 0, ranges: 0, boundsAt: 0, intoAt: 0, roundUp: DOUBLE, theta: DOUBLE },
    sieve: { sourceAt: 0, size: 0, bitmapAt: 0, intoAt: 0, hitsAt: 0, first: 0, flip: 0 },
    intersection: {
      aAt: 0,
      aSize: 0,
      bAt: 0,
      bSize: 0,
      intoAt: 0,
      aIndexesAt: 0,
      bIndexesAt: 0,
    },
    phrase: { ...phrase, excluded: 0, counting: 0, weight: DOUBLE, low: DOUBLE },
  };
}
