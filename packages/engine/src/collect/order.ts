import type { FieldPlan } from '../schema/field-plan.ts';

/** What hits are ordered by. Ties are ordered by key, rising. */
export type SortKey =
  | { readonly kind: 'score'; readonly desc: boolean }
  | { readonly kind: 'key'; readonly desc: boolean }
  | {
      /**
       * A field with a column. Of several values the lowest counts when rising, the highest when
       * falling.
       */
      readonly kind: 'field';
      readonly desc: boolean;
      readonly field: FieldPlan;
      /** Where documents without a value are; absent: at the end. */
      readonly missing?: MissingPlace;
    };

/** Documents without a value come first, or are ordered as if they had this value. */
export type MissingPlace = 'first' | bigint | Uint8Array;

/**
 * A document's value for one sort key, comparable between segments and shards: a score; an integer
 * of a numeric column's ordered space; the bytes of a KEYWORD, IP or encoded key; null if the
 * document has none.
 */
export type SortValue = null | number | bigint | Uint8Array;

/** Relevance: highest score first. */
export const BY_SCORE: readonly SortKey[] = Object.freeze([{ kind: 'score', desc: true }]);

/** A document that an answer may hold, with everything that decides its rank. */
export interface RankedDoc {
  /** Number of the segment in its snapshot. */
  readonly segment: number;
  readonly doc: number;
  /** NaN where the order did not need it. */
  readonly score: number;
  readonly values: readonly SortValue[];
  /** Encoded key: breaks ties. */
  readonly key: Uint8Array;
}

/** Where a page begins: after the hit with these values and this key. */
export interface SearchAfter {
  readonly values: readonly SortValue[];
  readonly key: Uint8Array;
}

/** Below 0 if `a` comes before `b`. A missing value is last in both directions, or first. */
export function compareValues(
  a: SortValue,
  b: SortValue,
  desc: boolean,
  missingFirst: boolean,
): number {
  if (a === null || b === null) return a === b ? 0 : (a === null) === missingFirst ? -1 : 1;
  const rising =
    a instanceof Uint8Array ? Buffer.compare(a, b as Uint8Array) : compareNumbers(a, b);
  return desc ? -rising : rising;
}

function compareNumbers(a: number | bigint, b: SortValue): number {
  const other = b as number | bigint;
  return a < other ? -1 : a > other ? 1 : 0;
}

/** Below 0 if `a` comes before `b`; 0 only if the keys are equal. */
export const compareRanked = (a: SearchAfter, b: SearchAfter, order: readonly SortKey[]): number =>
  compareSorted(a, b, order) || Buffer.compare(a.key, b.key);

/** The same but for keys: 0 if they decide. */
export function compareSorted(
  a: Pick<SearchAfter, 'values'>,
  b: Pick<SearchAfter, 'values'>,
  order: readonly SortKey[],
): number {
  for (let i = 0; i < order.length; i++) {
    const key = order[i];
    const missingFirst = key.kind === 'field' && key.missing === 'first';
    const difference = compareValues(a.values[i], b.values[i], key.desc, missingFirst);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * The first `limit` of two ordered lists: merges segments, and shards, into one response.
 */
export function mergeRanked<T extends SearchAfter>(
  a: readonly T[],
  b: readonly T[],
  order: readonly SortKey[],
  limit: number,
): readonly T[] {
  if (a.length === 0) return b.length <= limit ? b : b.slice(0, limit);
  const out: T[] = [];
  let i = 0;
  let j = 0;
  while (out.length < limit && (i < a.length || j < b.length)) {
    const first = j === b.length || (i < a.length && compareRanked(a[i], b[j], order) <= 0);
    out.push(first ? a[i++] : b[j++]);
  }
  return out;
}
