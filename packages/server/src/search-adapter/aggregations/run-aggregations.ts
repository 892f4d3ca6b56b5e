import type { JsonObject } from '@lakehouse-search/contract';
import type { UrlParams } from '../base/read-json.ts';
import type { Reads } from '../base/reads.ts';
import type { SearchPlan } from '../search/search-plan.ts';

/** The aggregations of a search; undefined: it has none. */
export async function runAggregations(
  _reads: Reads,
  _plan: SearchPlan,
  _params: UrlParams,
): Promise<JsonObject | undefined> {
  return undefined;
}
