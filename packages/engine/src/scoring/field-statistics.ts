import { normsByCode } from '../inverted/lengths.ts';

/** What BM25 needs of a field over the whole index: all segments of all shards. */
export interface FieldStatistics {
  /** Documents that have the field (deleted ones too, until a merge drops them). */
  readonly docs: number;
  /** Tokens per document that has the field; 1 where it has none. */
  readonly averageLength: number;
  /** Norms by length code; exact for codes below LONG, lower bounds from there on. */
  readonly norms: Float64Array;
}

/** The statistics of a field with `tokens` tokens in `docs` documents. */
export function fieldStatistics(docs: number, tokens: number): FieldStatistics {
  const averageLength = docs === 0 ? 1 : tokens / docs;
  return { docs, averageLength, norms: normsFor(averageLength) };
}

/** Norms by average length, of the fields that were searched last. */
const cache = new Map<number, Float64Array>();
const CACHED_NORMS = 16;

/** Norms by length code for an average length. */
export function normsFor(averageLength: number): Float64Array {
  const known = cache.get(averageLength);
  if (known !== undefined) return known;
  const norms = normsByCode(averageLength);
  if (cache.size >= CACHED_NORMS) cache.clear();
  cache.set(averageLength, norms);
  return norms;
}

/**
 * BM25's inverse document frequency: ln(1 + (N - df + 0.5) / (df + 0.5)) (Robertson and Zaragoza
 * 2009, Lucene's form).
 */
export function inverseFrequency(docs: number, df: number): number {
  return Math.log(1 + (docs - df + 0.5) / (df + 0.5));
}
