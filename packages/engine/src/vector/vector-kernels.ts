import { arenaCode, onceAnArena } from '../storage/arena-code.ts';
import { VECTOR_CODE } from './kernel-code.ts';

/**
 * The inner loops over planes of bytes, in an arena: rows of `row` bytes, a multiple of 16.
 * Arguments named `…At` are byte addresses. All sums are whole numbers below 2^31.
 */
export interface VectorKernels {
  /** dots[i] = sum of query[c] x row i [c], for `count` rows that lie behind one another. */
  dots(rowsAt: number, count: number, row: number, queryAt: number, dotsAt: number): void;
  /** The same for the rows named by list[0 .. count). */
  dotsOf(
    rowsAt: number,
    listAt: number,
    count: number,
    row: number,
    queryAt: number,
    dotsAt: number,
  ): void;
  /**
   * As `dotsOf`, for vectors whose rows lie in two planes: `head` bytes in one (queryAt), `tail` in
   * the other (restAt).
   */
  readonly wholeDotsOf: PlaneDots;
  /** As `wholeDotsOf`, the query being rows of bytes itself. */
  readonly rowDotsOf: PlaneDots;
}

type PlaneDots = (
  headsAt: number,
  tailsAt: number,
  listAt: number,
  count: number,
  head: number,
  tail: number,
  queryAt: number,
  restAt: number,
  dotsAt: number,
) => void;

/**
 * Places in the first mebibyte of an arena, which belongs to kernels (those of scoring/ end below):
 * the codes of a query, i16; slots that are listed and dot products, i32[BATCH] each.
 */
export const QUERY_AT = 512 * 1024;
export const LIST_AT = QUERY_AT + 16 * 1024;
/** Most rows of one call. */
export const BATCH = 16_384;
/** Other dot products of the same vectors. */
export const MORE_DOTS_AT = LIST_AT + 2 * (4 * BATCH + 832);
/** 13 lines apart, so that the arrays do not compete for the same lines of the cache. */
export const DOTS_AT = LIST_AT + 4 * BATCH + 832;

const codeOf = arenaCode(VECTOR_CODE);

/** The kernels of an arena, made when first asked for. */
export const kernelsOf = onceAnArena((arena) => codeOf(arena) as unknown as VectorKernels);

/** Where the vectors of a segment lie. */
interface Planes {
  readonly headAt: number;
  readonly tailAt: number;
  readonly headRow: number;
  readonly tailRow: number;
}

/** Dot products of the first `count` listed vectors and the query at QUERY_AT, to DOTS_AT. */
export function wholeDots(
  { headAt, tailAt, headRow, tailRow }: Planes,
  count: number,
  { wholeDotsOf }: VectorKernels,
): void {
  const restAt = QUERY_AT + 2 * headRow;
  wholeDotsOf(headAt, tailAt, LIST_AT, count, headRow, tailRow, QUERY_AT, restAt, DOTS_AT);
}
