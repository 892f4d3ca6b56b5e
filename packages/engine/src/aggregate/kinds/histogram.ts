/** Buckets of equal widths, of periods of a calendar, or of parts of dates. */

import { LIMITS } from '../../base/limits.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { longToJson } from '../../schema/values/values.ts';
import type {
  Aggregation,
  AggregationKind,
  KindRequest,
  Nested,
  SelectedBuckets,
} from '../aggregation.ts';
import { rising, selectBuckets, withSteps } from '../bucket-figure.ts';
import type { BucketKey } from '../bucket-key.ts';
import { tooMany } from '../bucket-limit.ts';
import { emptyBucket, mergeBuckets, noBuckets } from '../bucket-partials.ts';
import type { Choice, ChosenBucket, PartCode, PartCounts } from '../count/choose-buckets.ts';
import { type CodedBuckets, codeTask } from '../count/code-task.ts';
import type { FieldValues } from '../count/coder.ts';
import { nextClockStart } from '../histogram/calendar.ts';
import { histogramCoder } from '../histogram/histogram-coder.ts';
import type { HistogramInterval } from '../histogram/interval.ts';
import { bucketStart } from '../histogram/number-buckets.ts';
import type { BucketsPartial, PartialBucket } from '../partial.ts';
import { readSelection, SELECTION } from '../read/read-figures.ts';
import { readDatePart, readInterval, readWidth } from '../read/read-interval.ts';
import type { AggregationOptions } from '../read/read-options.ts';
import type { SegmentScope } from '../segment-collector.ts';

const RISING = { by: 'key', desc: false } as const;

/** `histogram: {field, interval, …}`. */
export const HISTOGRAM_KIND = kindOf(['interval'], ['LONG', 'DOUBLE'], readWidth);

/** `date_histogram: {field, calendar_interval | fixed_interval, …}`. */
export const DATE_HISTOGRAM_KIND = kindOf(
  ['fixed_interval', 'calendar_interval', 'time_zone', 'offset'],
  ['DATE'],
  readInterval,
);

/** `date_part: {field, part, …}`. */
export const DATE_PART_KIND = kindOf(['part', 'time_zone'], ['DATE'], readDatePart);

function kindOf(
  known: readonly string[],
  types: readonly string[],
  intervalOf: (options: AggregationOptions, field: FieldPlan) => HistogramInterval,
): AggregationKind {
  return {
    buckets: 'line',
    read({ nested, ...request }: KindRequest) {
      const options = request.options([...known, 'field', 'min_doc_count', ...SELECTION]);
      const field = request.field(options, types);
      const interval = intervalOf(options, field);
      // Changes are between neighbours, so gaps are filled.
      const isFilled = nested.steps.some(({ kind }) => kind === 'change');
      const least = options.whole('min_doc_count', 0, 2 ** 31 - 1) ?? (isFilled ? 0 : 1);
      const selection = readSelection(options, nested, RISING, LIMITS.aggBuckets);
      return histogram({ field, interval, least, ...selection, ...nested });
    },
  };
}

interface Histogram extends Nested, SelectedBuckets {
  readonly field: FieldPlan;
  readonly interval: HistogramInterval;
  /** Buckets with fewer documents are left out; 0: empty ones between others are shown. */
  readonly least: number;
}

function histogram(options: Histogram): Aggregation<BucketsPartial> {
  const { name, subs, steps, interval, least } = options;
  const keyOf = (start: bigint) =>
    interval.kind === 'numbers' ? bucketStart(start, interval.width) : longToJson(start);
  const self: Aggregation<BucketsPartial> = {
    name,
    figures: [],
    collect: (run, parts, owners) => codeTask(run, coded, parts, owners),
    empty: noBuckets,
    merge: (into, other) => mergeBuckets(subs, into, other),
    finish({ buckets }, answer) {
      const known = ([...buckets] as LineBucket[]).sort(([a], [b]) => rising(a, b));
      const line =
        least === 0 ? withoutGaps(options, known) : known.filter(([, { count }]) => count >= least);
      const every = { ...options, size: line.length };
      const all = selectBuckets(withSteps(line, steps), every);
      const shown = all.slice(0, options.size);
      return {
        buckets: shown.map((own) => answer.bucket(options, { key: keyOf(own.key) }, own)),
        ...(shown.length < all.length ? { total_buckets: all.length } : {}),
      };
    },
  };
  const coded: CodedBuckets = {
    ...{ aggregation: self, subs, missing: null, limit: 'aggBuckets' },
    values: (scope) => histogramValues(scope, options),
    showsEvery: () => true,
    choose: allBuckets,
  };
  return self;
}

function histogramValues(scope: SegmentScope, options: Histogram): FieldValues | null {
  let coder = scope.coders.get(options);
  if (coder === undefined) {
    coder = histogramCoder(scope.reader, options.field, options.interval);
    scope.coders.set(options, coder);
  }
  if (coder === null) return null;
  return { coder, ordinals: null, readWide: null, key: coder.key as FieldValues['key'] };
}

/** All buckets of some segments. */
function allBuckets(parts: readonly PartCounts[]): Choice {
  const buckets = new Map<BucketKey, { count: number; codes: PartCode[] }>();
  for (const { part, values, counts } of parts) {
    const codes = counts.codes as Uint32Array | null;
    counts.counts.forEach((count, at) => {
      if (count === 0) return;
      const code = codes === null ? at : codes[at];
      const key = values.key(code);
      const known = buckets.get(key);
      if (known === undefined) buckets.set(key, { count, codes: [{ part, code }] });
      else {
        known.count += count;
        known.codes.push({ part, code });
      }
    });
  }
  return {
    chosen: [...buckets].map(([key, bucket]): ChosenBucket => ({ key, ...bucket })),
    left: 0,
  };
}

type LineBucket = [bigint, PartialBucket];

/** Buckets with empty ones between them. Throws limit_exceeded for too many. */
function withoutGaps(
  { name, subs, interval }: Histogram,
  known: readonly LineBucket[],
): readonly LineBucket[] {
  const line: LineBucket[] = [];
  for (const bucket of known) {
    for (let next = line.at(-1)?.[0]; next !== undefined; ) {
      next = nextStart(interval, next);
      if (next >= bucket[0]) break;
      if (line.length >= LIMITS.aggBuckets) throw tooMany(name, 'aggBuckets');
      line.push([next, emptyBucket(subs)]);
    }
    line.push(bucket);
  }
  return line;
}

function nextStart(interval: HistogramInterval, start: bigint): bigint {
  if (interval.kind === 'fixed') return start + interval.width;
  if (interval.kind === 'numbers' || interval.kind === 'part') return start + 1n;
  return BigInt(nextClockStart(Number(start / 1000n), interval)) * 1000n;
}
