import type { Hit, Json, SearchResponse, SortSpec } from '@lakehouse-search/contract';
import type { Answered } from '../answer-each.ts';

/** A hit, and the number of the index that has it. */
export interface MergedHit {
  readonly hit: Hit;
  readonly at: number;
}

/**
 * The hits of several indexes as one list: by the values of a sort, else by rank, because scores of
 * two indexes cannot be compared. Hits that are equal have the order of the indexes.
 */
export function mergeHits(
  found: readonly Answered<SearchResponse>[],
  sort: readonly SortSpec[],
): readonly MergedHit[] {
  const most = Math.max(...found.map(({ response }) => response.hits.length));
  const byRank = Array.from({ length: most }, (_, rank) =>
    found.flatMap(({ response }, at): MergedHit[] => {
      const hit = response.hits[rank];
      return hit === undefined ? [] : [{ hit, at }];
    }),
  ).flat();
  return byRank.sort((a, b) => bySort(a.hit, b.hit, sort));
}

function bySort(a: Hit, b: Hit, sort: readonly SortSpec[]): number {
  for (const [i, { desc = false }] of sort.entries()) {
    const [x = null, y = null] = [a.sort?.[i], b.sort?.[i]];
    if (x === null || y === null) {
      if (x !== y) return x === null ? 1 : -1;
    } else {
      const order = rising(x, y);
      if (order !== 0) return desc ? -order : order;
    }
  }
  return 0;
}

/** Numbers that JSON does not hold exactly are texts. */
function rising(x: Json, y: Json): number {
  const [a, b] = [x, y].map((value) =>
    typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : value,
  ) as [string, string];
  return a < b ? -1 : a > b ? 1 : 0;
}
