/** Upper bounds of impacts, tf / (tf + norm), over parts of a term's postings. */
import { rangeImpact } from './dense-terms.ts';
import { DENSE, RANGE_SHIFT } from './format.ts';
import { blockHolding, blockImpact, lastDocOf } from './list-terms.ts';
import type { BigTerm, DenseTerm, ListTerm, PostingsSource } from './term-info.ts';

/** Bounds are widened by this against rounding. */
const ROUNDING = 1 + 1e-12;

/**
 * Impacts are stored by the segment's own average length a; by another average A, with s = A / a,
 * an impact x is at most x s / (1 + x (s - 1)) where s > 1, and at most x else.
 */
export function raiseImpact(impact: number, scale: number): number {
  return scale > 1 ? ((impact * scale) / (1 + impact * (scale - 1))) * ROUNDING : impact;
}

/**
 * An upper bound of a term's impacts in documents firstDoc .. lastDoc, by the segment's own average
 * length; 0 where it is known to have none. `term` null: a short one. `impacts`: by code.
 */
export function impactBound(
  source: PostingsSource,
  term: BigTerm | null,
  firstDoc: number,
  lastDoc: number,
  impacts: Float64Array,
): number {
  if (term === null) return 1;
  const code =
    term.kind === DENSE
      ? denseBound(source, term, firstDoc, lastDoc)
      : listBound(source, term, firstDoc, lastDoc);
  if (code === NONE) return 0;
  return source.text ? impacts[code] : 1;
}

/** No posting at all. */
const NONE = -1;

function denseBound(
  { arena, text }: PostingsSource,
  term: DenseTerm,
  firstDoc: number,
  lastDoc: number,
): number {
  let best = 0;
  for (let r = firstDoc >> RANGE_SHIFT; text && r <= lastDoc >> RANGE_SHIFT; r++) {
    best = Math.max(best, rangeImpact(arena, term, r));
  }
  return best;
}

function listBound(
  { arena }: PostingsSource,
  term: ListTerm,
  firstDoc: number,
  lastDoc: number,
): number {
  const low = blockHolding(arena, term, firstDoc);
  let best = NONE;
  for (let block = low; block < term.blocks; block++) {
    if (block > low && lastDocOf(arena, term, block - 1) >= lastDoc) break;
    best = Math.max(best, blockImpact(arena, term, block));
  }
  return best;
}
