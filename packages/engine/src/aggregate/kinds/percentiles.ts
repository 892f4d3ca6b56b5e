/** Percentiles of a field. */
import { type Json, LhsError } from '@lakehouse-search/contract';
import { wrong } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import { doubleToJson } from '../../schema/values/values.ts';
import type { Aggregation, AggregationKind } from '../aggregation.ts';
import { percentilesCollector } from '../figures/collect-values.ts';
import { type Digest, digestValues, mergeDigests, noDigest } from '../figures/t-digest.ts';
import type { AggregationOptions } from '../read/read-options.ts';
import { metricTask } from '../task.ts';
import { NUMBERS } from './types.ts';

const DEFAULT_PERCENTS = [1, 5, 25, 50, 75, 95, 99];

/** `percentiles: {field, percents?}`. */
export const PERCENTILES_KIND: AggregationKind = {
  buckets: 'none',
  read({ nested: { name }, ...request }) {
    const options = request.options(['field', 'percents']);
    const percents = readPercents(options) ?? DEFAULT_PERCENTS;
    const field = request.field(options, NUMBERS);
    const self: Aggregation<Digest> = {
      name,
      figures: percents.map((percent) => ({
        text: `${name}.${percent}`,
        value: (digest) => digestValues(digest, [percent])[0],
      })),
      collect(_, parts, owners) {
        const collectors = parts.map(({ scope }) => percentilesCollector(scope.reader, field));
        return metricTask(self, collectors, owners);
      },
      empty: noDigest,
      merge: mergeDigests,
      finish: (digest) => percentilesResult(digest, percents),
    };
    return self;
  },
};

function percentilesResult(digest: Digest, percents: readonly number[]) {
  const values = digestValues(digest, percents);
  return {
    values: percents.map((percent, i) => {
      const value = values[i];
      return { percent, value: value === null ? null : doubleToJson(value) };
    }),
    exact: digest.weights === null,
    ...(digest.nans > 0 ? { nan_count: digest.nans } : {}),
  };
}

/** `percents`: numbers 0 .. 100, or undefined where they are left out. */
function readPercents(options: AggregationOptions): readonly number[] | undefined {
  const input = options.get('percents');
  if (input === undefined) return undefined;
  const path = `${options.path}.percents`;
  if (!Array.isArray(input) || input.length === 0) throw wrong(path, input, 'an array');
  if (input.length > LIMITS.aggPercents) {
    const most = LIMITS.aggPercents;
    const message = `"${path}" has ${input.length} entries: at most ${most} (aggPercents)`;
    throw new LhsError('limit_exceeded', message);
  }
  return input.map((percent: Json, i) => {
    if (typeof percent === 'number' && percent >= 0 && percent <= 100) return percent;
    throw wrong(`${path}[${i}]`, percent, 'a number from 0 to 100');
  });
}
