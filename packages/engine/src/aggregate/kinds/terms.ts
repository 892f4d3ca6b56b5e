/** A bucket for each value of a field. */
import type { Json } from '@lakehouse-search/contract';
import { wrong } from '@lakehouse-search/contract/internal';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type {
  Aggregation,
  AggregationAnswer,
  AggregationKind,
  Nested,
  SelectedBuckets,
} from '../aggregation.ts';
import { selectBuckets, withSteps } from '../bucket-figure.ts';
import { type BucketKey, keyFromJson, keyToJson } from '../bucket-key.ts';
import { mergeBuckets, noBuckets } from '../bucket-partials.ts';
import { chooseBuckets } from '../count/choose-buckets.ts';
import { type CodedBuckets, codeTask } from '../count/code-task.ts';
import { fieldValues } from '../count/coder.ts';
import { includedBuckets } from '../count/included-buckets.ts';
import type { BucketsPartial } from '../partial.ts';
import { readSelection, SELECTION } from '../read/read-figures.ts';
import type { AggregationOptions } from '../read/read-options.ts';

const MOST_FREQUENT = { by: 'count', desc: true } as const;
const DEFAULT_SIZE = 10;

/** `terms: {field, include?, missing?, size?, order?, having?}`. */
export const TERMS_KIND: AggregationKind = {
  buckets: 'some',
  read({ nested, ...request }) {
    const options = request.options(['field', 'include', 'missing', ...SELECTION]);
    const field = request.field(options);
    const input = options.get('missing');
    const path = `${options.path}.missing`;
    const missing = input === undefined ? null : keyFromJson(input, path, field);
    const isFolded = field.folded !== undefined && input !== undefined;
    const selection = readSelection(options, nested, MOST_FREQUENT, DEFAULT_SIZE);
    const own = { field, include: readInclude(options, field), missing, ...selection, ...nested };
    return termsAggregation(isFolded ? { ...own, missingText: String(input) } : own);
  },
};

/** `include: [value, …]`; null: all values. */
function readInclude(options: AggregationOptions, field: FieldPlan): ReadonlySet<BucketKey> | null {
  const input = options.get('include');
  if (input === undefined) return null;
  const path = `${options.path}.include`;
  if (!Array.isArray(input)) throw wrong(path, input, 'an array of values');
  return new Set(input.map((value: Json, i) => keyFromJson(value, `${path}[${i}]`, field)));
}

interface Terms extends Nested, SelectedBuckets {
  readonly field: FieldPlan;
  /** The keys that have buckets; null: all. */
  readonly include: ReadonlySet<BucketKey> | null;
  /** The key under which documents without a value count; null: they do not. */
  readonly missing: BucketKey | null;
  /** How the request writes that key; absent: it does not, or the field is not folded. */
  readonly missingText?: string;
}

/** The buckets of a field that have the most documents. */
export const mostFrequent = (
  name: string,
  field: FieldPlan,
  size: number,
): Aggregation<BucketsPartial> => {
  const none = { include: null, missing: null, having: [], subs: [], steps: [] };
  return termsAggregation({ name, field, size, order: MOST_FREQUENT, ...none });
};

function termsAggregation(terms: Terms): Aggregation<BucketsPartial> {
  const { name, field, include, missing, subs, steps, size, order, having } = terms;
  const byCounts = order.by !== 'figure' && having.length === 0;
  const self: Aggregation<BucketsPartial> = {
    name,
    figures: [],
    collect: (run, parts, owners) => codeTask(run, coded, parts, owners),
    empty: noBuckets,
    merge: (into, other) => mergeBuckets(subs, into, other),
    finish({ buckets, left }, answer) {
      const all = withSteps([...buckets], steps);
      const shown = selectBuckets(all, terms);
      const sum = (some: typeof all) => some.reduce((count, own) => count + own.bucket.count, 0);
      return {
        buckets: shown.map((own) =>
          answer.bucket(terms, { key: termKey(terms, own.key, answer) }, own),
        ),
        sum_other_doc_count: left + sum(all) - sum(shown),
        doc_count_error_upper_bound: 0,
      };
    },
  };
  const coded: CodedBuckets = {
    ...{ aggregation: self, subs, missing, limit: 'aggNestedBuckets' },
    values: ({ reader }) => fieldValues(reader, field),
    showsEvery: (coder) => include === null && missing === null && coder.size <= size,
    choose(parts, without, { final, deadline }, most) {
      if (include !== null) return includedBuckets(parts, without, include);
      const byKey = { size: most + 1, order: { by: 'key', desc: false } } as const;
      const shown = final && byCounts ? { size, order } : byKey;
      return chooseBuckets(parts, without, shown, deadline);
    },
  };
  return self;
}

function termKey(
  { field, missing, missingText }: Terms,
  key: BucketKey,
  answer: AggregationAnswer,
): Json {
  const shown = shownKey(field, key, answer);
  const isRequested = key === missing && missingText !== undefined;
  return isRequested && shown === keyToJson(field, key) ? missingText : shown;
}

/** A key as a response has it. */
export function shownKey(field: FieldPlan, key: BucketKey, answer: AggregationAnswer): Json {
  const value = keyToJson(field, key);
  return typeof key === 'string' && typeof value === 'string' ? answer.show(field, value) : value;
}
