/** `min_score`: hits come in the order of their scores, so those that score enough are the first. */
import type { SearchResponse } from '@lakehouse-search/contract';
import type { Reads } from '../base/reads.ts';
import { unserved } from '../query/refusal.ts';
import { WINDOW } from './search-body.ts';
import { pageRequest, type SearchPlan } from './search-plan.ts';

/** A page without the hits that score too little; its total counts those that score enough. */
export async function withMinScore(
  reads: Reads,
  plan: SearchPlan,
  page: SearchResponse,
): Promise<SearchResponse> {
  const { minScore: least, trackTotal, from, size } = plan.body;
  if (least === undefined) return page;
  const hits = page.hits.filter(({ score }) => score >= least);
  if (size > 0 && hits.length < page.hits.length && hits.length > 0) {
    return { ...page, hits, total: from + hits.length };
  }
  const total = await countAbove(reads, plan, least, page.total);
  const isCapped = trackTotal === false || Number(trackTotal) <= WINDOW;
  if (total <= WINDOW || (trackTotal !== true && isCapped)) return { ...page, hits, total };
  throw unserved(`[min_score] counts up to ${WINDOW} hits: send [track_total_hits: ${WINDOW}]`);
}

/** The number of hits that score enough; WINDOW + 1: more than can be counted. */
async function countAbove(
  reads: Reads,
  plan: SearchPlan,
  least: number,
  total: number,
): Promise<number> {
  const request = { ...pageRequest(plan), limit: 1, hydrate: false };
  const reaches = async (offset: number): Promise<boolean> => {
    const { hits } = await reads.search({ ...request, offset });
    return hits.length > 0 && hits[0].score >= least;
  };
  let low = 0;
  let high = Math.min(total, WINDOW);
  if (total > WINDOW && (await reaches(WINDOW - 1))) return WINDOW + 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await reaches(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
