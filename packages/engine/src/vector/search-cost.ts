/**
 * What a flat search and a walk over the graph of a segment would cost, and which one runs. Both
 * estimates come from the bytes that a search touches (adr/vectors.md has the measured constants).
 */
import type { VectorSearch } from '../schema/definition.ts';
import type { StoredVectors } from './stored-vectors.ts';

/** Why a search is flat, or walks the graph. */
export type SearchReason =
  /** The segment has no graph. */
  | 'no_graph'
  /** The request has `exact`. */
  | 'exact'
  /** The definition of the field names the method. */
  | 'definition'
  /** The estimated cost is lower. */
  | 'cheaper'
  /** The walk found fewer than k documents that the filter accepts. */
  | 'too_few';

/** How the vectors of a segment are searched, and the estimates for both methods. */
export interface SearchChoice {
  readonly method: 'flat' | 'graph';
  readonly reason: SearchReason;
  readonly vectors: number;
  /** Vectors that filters and deletes leave, about. */
  readonly accepted: number;
  /** Estimated time on a quiet core, in milliseconds. */
  readonly flatMs: number;
  /** The same for the graph; null if the segment has none. */
  readonly graphMs: number | null;
  /** Candidates of a walk. */
  readonly width: number;
}

/** The vectors of a segment: documents, vectors, bytes per vector in the plane of heads and tails. */
export type VectorSizes = Pick<StoredVectors, 'docs' | 'count' | 'headRow' | 'tailRow'>;

/** A search of a segment. */
export interface WantedSearch {
  readonly k: number;
  /** The segment has a graph. */
  readonly graph: boolean;
  /** Documents that filters and deletes leave. */
  readonly accepted: number;
  readonly exact: boolean;
  /** Candidates of a walk without a filter; absent: by `k`. */
  readonly ef: number | undefined;
  readonly search: VectorSearch;
}

/** Candidates of a walk at least, unless the caller sets `ef`: recall@10 is about 0.98. */
const LEAST_WIDTH = 64;
/** Above so many vectors the same candidates find less: each doubling adds some. */
const LEAST_WIDTH_VECTORS = 50_000;
const WIDTH_PER_DOUBLING = 16;
/** A walk for k collects at least so many times as many. */
const WIDTH_PER_K = 1.5;
/**
 * A walk compares the heads of vectors only (format.ts). It collects so many times the candidates
 * for about the same bytes, and finds more of the nearest.
 */
export const BY_HEADS = 2;

/** If a larger share of the vectors is accepted, a flat search reads all of them in sequence. */
export const DENSE_PART = 0.5;

/** Measured nanoseconds (bench/vector-costs.ts): of a scan in sequence, per vector and per byte. */
const SEQUENTIAL = { vector: 3, byte: 0.18 };
/** Of a scan of few accepted vectors. */
const RANDOM = { vector: 10, byte: 0.6 };
/** Of a vector that a walk visits. */
const VISITED = { vector: 110, byte: 0.5 };
/** Candidates are sorted by insertion: per pair of them. */
const CANDIDATE_PAIR = 1.2;
/** Vectors that a walk visits for each one that it collects. */
const VISITS = 14;

/** Chooses the cheaper search of a segment that returns k documents. */
export function chooseSearch(
  sizes: VectorSizes,
  { k, graph, accepted: docs, exact, ef, search }: WantedSearch,
): SearchChoice {
  const { count } = sizes;
  const accepted = Math.round((count * docs) / Math.max(1, sizes.docs));
  const base = Math.max(ef ?? Math.max(leastWidth(count), Math.ceil(WIDTH_PER_K * k)), k);
  const width = Math.min(count, Math.ceil((base * count) / Math.max(1, accepted)));
  const flatMs = flatNanos(sizes, accepted) / 1e6;
  const graphMs = graph ? graphNanos(sizes, width) / 1e6 : null;
  const figures = { vectors: count, accepted, flatMs, graphMs, width };
  if (graphMs === null) return { method: 'flat', reason: 'no_graph', ...figures };
  if (exact) return { method: 'flat', reason: 'exact', ...figures };
  if (search !== 'auto') return { method: search, reason: 'definition', ...figures };
  return { method: graphMs < flatMs ? 'graph' : 'flat', reason: 'cheaper', ...figures };
}

function leastWidth(count: number): number {
  const doublings = Math.max(0, Math.log2(count / LEAST_WIDTH_VECTORS));
  return LEAST_WIDTH + Math.ceil(WIDTH_PER_DOUBLING * doublings);
}

function flatNanos({ count, headRow }: VectorSizes, accepted: number): number {
  const sparse = accepted < count * DENSE_PART;
  const { vector, byte } = sparse ? RANDOM : SEQUENTIAL;
  return (sparse ? accepted : count) * (vector + byte * headRow);
}

function graphNanos({ count, headRow, tailRow }: VectorSizes, width: number): number {
  const collected = Math.min(count, tailRow === 0 ? width : BY_HEADS * width);
  const visited = Math.min(count, VISITS * collected);
  return visited * (VISITED.vector + VISITED.byte * headRow) + CANDIDATE_PAIR * collected ** 2;
}
