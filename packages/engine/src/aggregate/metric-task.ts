import type { Aggregation } from './aggregation.ts';
import { statsCollector } from './collect-stats.ts';
import { percentilesCollector } from './collect-values.ts';
import { emptyPartial } from './empty-partial.ts';
import { type AggPartial, mergePartials } from './partial.ts';
import type { MetricCollector, SegmentPart } from './segment-collector.ts';
import type { AggregationTask } from './task.ts';

type Metric = Extract<Aggregation, { readonly kind: 'stats' | 'percentiles' }>;

/** Stats or percentiles: each segment's are merged, owner by owner. */
export function metricTask(
  aggregation: Metric,
  parts: readonly SegmentPart[],
  owners: number,
): AggregationTask {
  const collectors = parts.map(({ scope }): MetricCollector => {
    const { reader } = scope;
    return aggregation.kind === 'stats'
      ? statsCollector(reader, aggregation.field)
      : percentilesCollector(reader, aggregation.field);
  });
  return {
    collectors,
    partials: () =>
      Array.from({ length: owners }, (_, owner): AggPartial => {
        const merged = emptyPartial(aggregation);
        for (const collector of collectors) mergePartials(merged, collector.partial(owner));
        return merged;
      }),
  };
}
