/** How the vectors of a segment were searched, and why so, in words. */

import { withCommas } from '@lakehouse-search/contract/internal';
import type { SearchChoice } from '../../vector/search-cost.ts';

const millis = (ms: number): string => `${Number(ms.toPrecision(2))} ms`;

/**
 * The method and its reason; `searched` is undefined for a segment without vectors. Without a graph
 * there are no figures: the words do not depend on the number of shards. `guarded`: the caller has
 * a tenant, so no figure of other documents is shown.
 */
export function searchWords(searched: SearchChoice | undefined, guarded: boolean): string {
  if (searched === undefined || searched.reason === 'no_graph') {
    return 'flat search (the segment has no graph)';
  }
  const { method, vectors, accepted } = searched;
  const part =
    accepted === vectors
      ? withCommas(vectors)
      : `${withCommas(accepted)} of ${withCommas(vectors)}`;
  const head = guarded ? `${method} search` : `${method} search of ${part} vectors`;
  return `${head} (${reasonWords(searched, guarded)})`;
}

function reasonWords(searched: SearchChoice, guarded: boolean): string {
  const { method, reason, flatMs, graphMs } = searched;
  if (reason === 'exact') return 'the request has "exact"';
  if (reason === 'definition') return `the definition has "search: ${method}"`;
  if (reason === 'too_few') return 'the graph led to fewer than k rows that match';
  const [flat, graph] = [millis(flatMs), millis(graphMs ?? 0)];
  if (guarded) return 'the estimated cost is lower';
  return method === 'flat'
    ? `estimated ${flat}, by the graph ${graph}`
    : `estimated ${graph}, a flat search ${flat}`;
}
