import type { Json } from '../json.ts';
import type { AggSpecs } from '../search/agg-spec.ts';
import type { AggBucket, AggResult, AggResults } from '../search/response.ts';

/** Which texts among the results of aggregations become numbers. */
export interface NumberRules {
  /** Whether the values of a field are numbers; its buckets have them as keys. */
  readonly isNumeric: (field: string) => boolean;
  /** Parses a number that was written as a text; returns other values unchanged. */
  readonly toNumber: (value: Json) => Json;
}

type Spec = AggSpecs[string];

/** Makes numbers of texts among figures and keys; the keys and bounds of ranges stay. */
export const figuresOf = (rules: NumberRules, specs: AggSpecs, results: AggResults): AggResults =>
  Object.fromEntries(
    Object.entries(results).map(([name, result]) => [name, resultOf(rules, specs[name], result)]),
  );

function resultOf(rules: NumberRules, spec: Spec, result: AggResult): AggResult {
  const { toNumber } = rules;
  const entries = Object.entries(result).map(([name, value]) => {
    if (name === 'buckets')
      return [name, value.map((each: AggBucket) => bucketOf(rules, spec, each))];
    if (name === 'aggs') return [name, figuresOf(rules, innerOf(spec), value)];
    if (name !== 'values') return [name, toNumber(value)];
    return [
      name,
      value.map((each: { readonly value: Json }) => ({ ...each, value: toNumber(each.value) })),
    ];
  });
  return Object.fromEntries(entries);
}

function bucketOf(rules: NumberRules, spec: Spec, bucket: AggBucket): AggBucket {
  const { aggs } = bucket;
  return {
    ...bucket,
    ...(hasNumberKeys(rules, spec) ? { key: rules.toNumber(bucket.key) } : {}),
    ...(aggs === undefined ? {} : { aggs: figuresOf(rules, innerOf(spec), aggs) }),
  };
}

function hasNumberKeys({ isNumeric }: NumberRules, spec: Spec): boolean {
  if ('terms' in spec) return isNumeric(spec.terms.field);
  if ('significant_terms' in spec) return isNumeric(spec.significant_terms.field);
  return !('range' in spec);
}

const innerOf = (spec: Spec): AggSpecs => ('aggs' in spec ? (spec.aggs ?? {}) : {});
