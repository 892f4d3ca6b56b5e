/** Count, sum and bounds of a field, all of them or one. */
import type { Json, StatsResult } from '@lakehouse-search/contract';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type {
  Aggregation,
  AggregationFigure,
  AggregationKind,
  FigureValue,
} from '../aggregation.ts';
import { statsCollector } from '../figures/collect-stats.ts';
import { mergeStats, noStats, type StatsPartial, statsResult } from '../figures/stats-partial.ts';
import { metricTask } from '../task.ts';
import { NUMBERS } from './types.ts';

/** Stats, or one figure of them. */
export const statsKind = (only: keyof StatsResult | null): AggregationKind => ({
  buckets: 'none',
  read({ nested: { name }, options, field }) {
    return statsAggregation(name, field(options(['field']), NUMBERS), only);
  },
});

function statsAggregation(
  name: string,
  field: FieldPlan,
  only: keyof StatsResult | null,
): Aggregation<StatsPartial> {
  const figure = (text: string, part: keyof StatsResult): AggregationFigure<StatsPartial> => ({
    text,
    value: (partial) => valueOfJson(statsResult(field, partial)[part]),
  });
  const parts = ['count', 'min', 'max', 'sum', 'avg'] as const;
  const self: Aggregation<StatsPartial> = {
    name,
    figures:
      only === null ? parts.map((part) => figure(`${name}.${part}`, part)) : [figure(name, only)],
    collect(_, parts, owners) {
      const collectors = parts.map(({ scope }) => statsCollector(scope.reader, field));
      return metricTask(self, collectors, owners);
    },
    empty: noStats,
    merge: mergeStats,
    finish(partial) {
      const figures = statsResult(field, partial);
      return only === null ? figures : { value: figures[only] };
    },
  };
  return self;
}

function valueOfJson(json: Json): FigureValue {
  if (typeof json === 'number') return json;
  if (typeof json !== 'string') return null;
  if (/^-?\d+$/.test(json)) return BigInt(json);
  return json === 'NaN' ? null : Number(json);
}
