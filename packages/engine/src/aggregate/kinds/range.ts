/** Buckets between bounds of a field. */
import { LhsError } from '@lakehouse-search/contract';
import { wrong } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import type { Clause } from '../../query/bind/clause.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { I64_MAX, I64_MIN } from '../../schema/values/date-value.ts';
import type { Aggregation, AggregationKind, Nested } from '../aggregation.ts';
import { bitmapBuckets } from '../bitmap-task.ts';
import { withSteps } from '../bucket-figure.ts';
import { keyFromJson, keyToJson } from '../bucket-key.ts';
import type { BucketsPartial } from '../partial.ts';
import { type AggregationOptions, readAggregationOptions } from '../read/read-options.ts';
import { NUMBERS } from './types.ts';

/** A range in the column's ordered space: `from` in, `to` out; null: open. */
interface AggRange {
  /** How the request named it; null: made of its bounds. */
  readonly key: string | null;
  readonly from: bigint | null;
  readonly to: bigint | null;
}

/** `range: {field, ranges}`. */
export const RANGE_KIND: AggregationKind = {
  buckets: 'line',
  read({ nested, ...request }) {
    const options = request.options(['field', 'ranges']);
    const field = request.field(options, NUMBERS);
    return rangeAggregation(nested, field, readRanges(options, field));
  },
};

function rangeAggregation(
  nested: Nested,
  field: FieldPlan,
  ranges: readonly AggRange[],
): Aggregation<BucketsPartial> {
  const { name, subs, steps } = nested;
  const clauses = ranges.map((range) => inRange(field, range));
  return {
    name,
    figures: [],
    ...bitmapBuckets(clauses, subs),
    finish({ buckets }, answer) {
      const line = ranges.map((range, i) => [range, buckets.get(BigInt(i))!] as const);
      const shown = withSteps(line, steps);
      return {
        buckets: shown.map((own) => answer.bucket(nested, rangeHead(field, own.key), own)),
      };
    },
  };
}

/** `ranges: [{key?, from?, to?}]`: `from` belongs to the range, `to` does not. */
function readRanges(options: AggregationOptions, field: FieldPlan): readonly AggRange[] {
  const input = options.get('ranges');
  const path = `${options.path}.ranges`;
  if (!Array.isArray(input) || input.length === 0) {
    throw wrong(path, input, 'an array of {key, from, to}');
  }
  if (input.length > LIMITS.aggRanges) {
    const most = LIMITS.aggRanges;
    const message = `"${path}" has ${input.length} ranges: at most ${most} (aggRanges)`;
    throw new LhsError('limit_exceeded', message);
  }
  return input.map((range, i): AggRange => {
    const parts = readAggregationOptions(range, `${path}[${i}]`, ['key', 'from', 'to']);
    const bound = (name: string) => {
      const value = parts.get(name);
      if (value === undefined) return null;
      return keyFromJson(value, `${parts.path}.${name}`, field) as bigint;
    };
    const [from, to] = [bound('from'), bound('to')];
    if (from !== null && to !== null && from > to) {
      throw new LhsError('invalid_argument', `"${parts.path}": "from" is above "to"`);
    }
    return { key: parts.maybeText('key') ?? null, from, to };
  });
}

function inRange(field: FieldPlan, { from, to }: AggRange): Clause {
  if (to === I64_MIN) return { kind: 'none' };
  const range = { lower: from ?? I64_MIN, upper: to === null ? I64_MAX : to - 1n };
  return { kind: 'numbers', boost: 1, field, ranges: [range] };
}

function rangeHead(field: FieldPlan, { key, from, to }: AggRange) {
  const bound = (value: bigint | null) => (value === null ? null : keyToJson(field, value));
  const [low, high] = [bound(from), bound(to)];
  return {
    key: key ?? `${low ?? '*'}-${high ?? '*'}`,
    ...(low === null ? {} : { from: low }),
    ...(high === null ? {} : { to: high }),
  };
}
