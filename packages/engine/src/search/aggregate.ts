import type { AggregateResponse, CheckedAggregate } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import type { SearchContext } from './context.ts';
import { planSearch } from './request/plan.ts';
import { givenOf, lagOf, requireSnapshot } from './search.ts';
import { aggregationsOf } from './summarize.ts';

/**
 * Answers aggregations over one snapshot of an index. Throws invalid_argument, invalid_query,
 * limit_exceeded (too many buckets, by name of the aggregation), snapshot_not_reached.
 */
export async function aggregateIndex(
  context: SearchContext,
  { match, aggs }: CheckedAggregate,
): Promise<AggregateResponse> {
  const started = performance.now();
  const lag = lagOf(context);
  const { request } = match;
  const plan = planSearch(match, context.mapping, await givenOf(context, request));
  await requireSnapshot(context, request.min_snapshot);
  const specs: unknown = typeof aggs === 'string' ? parsed(aggs) : aggs;
  const { results, total } = aggregationsOf(context, plan, specs);
  return {
    results,
    failed_shards: 0,
    total,
    snapshot: context.snapshot.checkpoint?.snapshot_id ?? null,
    index_generation: context.snapshot.generation,
    took_ms: Math.round((performance.now() - started) * 1000) / 1000,
    ...(await lag),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `"aggs" is a text that is no JSON: ${(cause as Error).message}`;
    const hint = 'send an object {"name": {"terms": {"field": "…"}}}';
    throw new LhsError('invalid_argument', message, { hint, cause });
  }
}
