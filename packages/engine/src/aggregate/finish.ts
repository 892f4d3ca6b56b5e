/** Merged partials become results, as they go over the wire. */
import type { AggResult } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import type { Aggregation, AggregationAnswer } from './aggregation.ts';
import { figureToJson } from './bucket-figure.ts';
import { tooMany } from './bucket-limit.ts';
import type { AggPartial } from './partial.ts';

const WITHOUT_SOURCES = { show: (_: unknown, value: string) => value, background: () => null };

/** The results in order. Throws limit_exceeded where they would hold too many buckets. */
export function finishAggregations(
  aggregations: readonly Aggregation[],
  partials: readonly AggPartial[],
  sources: Pick<AggregationAnswer, 'show' | 'background'> = WITHOUT_SOURCES,
): readonly AggResult[] {
  let buckets = 0;
  const results = (subs: readonly Aggregation[], of: readonly AggPartial[]) =>
    subs.map((aggregation, i) => aggregation.finish(of[i], answer));
  const answer: AggregationAnswer = {
    ...sources,
    bucket({ name, subs, steps }, head, { bucket, steps: values }) {
      if (++buckets > LIMITS.aggBuckets) throw tooMany(name, 'aggBuckets');
      const own = { ...head, doc_count: bucket.count };
      if (subs.length + steps.length === 0) return own;
      const found = results(subs, bucket.subs).map((result, i) => [subs[i].name, result] as const);
      const computed = steps.map((step, i) => [step.name, { value: figureToJson(values[i]) }]);
      return { ...own, aggs: Object.fromEntries([...found, ...computed]) };
    },
  };
  return results(aggregations, partials);
}
