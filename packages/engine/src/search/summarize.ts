/**
 * Aggregations and facets of a bound search. Steps: the specifications are bound to the index's
 * fields; each segment's matches make partials; partials are merged; the answer is made.
 */

import { aggregateSegment } from '../aggregate/aggregate-segment.ts';
import type { Aggregation } from '../aggregate/aggregation.ts';
import { isAggregatable, plainField } from '../aggregate/aggregation-field.ts';
import { emptyPartial } from '../aggregate/empty-partial.ts';
import { finishAggregations } from '../aggregate/finish.ts';
import { type AggPartial, mergePartials } from '../aggregate/partial.ts';
import { readAggregations } from '../aggregate/read-aggregations.ts';
import type { AggResults, AggSpecs, Facet, FacetSpec, JsonObject } from '../backend.ts';
import type { Clause } from '../query/bind/clause.ts';
import type { SearchContext } from './context.ts';
import { forEachMatched } from './matches.ts';
import { bindFilter, queryFields, type SearchPlan } from './plan.ts';

/** What facets and aggregations are made of. */
type Matched = Pick<SearchPlan, 'checked' | 'clause' | 'filter'>;

/** Answers of facets and aggregations, where they are asked for, over all matching documents. */
export function summarize(
  context: SearchContext,
  plan: Matched,
  facets: FacetSpec | undefined,
  aggs: AggSpecs | undefined,
): { readonly facets?: readonly Facet[]; readonly aggs?: AggResults } {
  return {
    ...(facets === undefined ? {} : { facets: facetsOf(context, plan, facets).facets }),
    ...(aggs === undefined ? {} : { aggs: aggregationsOf(context, plan, aggs).results }),
  };
}

/** The answers of aggregations by name. Throws invalid_argument, invalid_query, limit_exceeded. */
export function aggregationsOf(
  context: SearchContext,
  plan: Matched,
  aggs: unknown,
): { readonly results: AggResults; readonly total: number } {
  const { mapping } = context;
  const { request } = plan.checked;
  const aggregations = readAggregations(aggs, {
    fields: queryFields(mapping),
    bindFilter: (filter: string | JsonObject) =>
      bindFilter({ ...request, filter }, mapping) ?? { kind: 'none' },
  });
  return run(context, plan, aggregations);
}

const FACET_SIZE = 10;

/** The facets of the fields that can have some. Throws invalid_argument for unknown fields. */
export function facetsOf(
  context: SearchContext,
  plan: Matched,
  { fields: names, size = FACET_SIZE }: FacetSpec,
): { readonly facets: readonly Facet[]; readonly total: number } {
  const fields = queryFields(context.mapping);
  const plans = [...new Set(names)].map((name) => plainField(name, 'fields', fields));
  const terms = plans
    .filter((field) => isAggregatable(field, fields))
    .map((field): Aggregation => {
      const order = { by: 'count', desc: true } as const;
      return { name: field.name, kind: 'terms', field, size, order, missing: null, subs: [] };
    });
  const { results, total } = run(context, plan, terms);
  return { facets: terms.map(({ name }) => facet(name, results)), total };
}

function facet(field: string, results: AggResults): Facet {
  const result = results[field];
  if (!('sum_other_doc_count' in result)) return { field, buckets: [], other_count: 0 };
  const buckets = result.buckets.map(({ key, doc_count: count }) => ({
    value: String(key),
    count,
  }));
  return { field, buckets, other_count: result.sum_other_doc_count };
}

function run(context: SearchContext, plan: Matched, aggregations: readonly Aggregation[]) {
  const alone = context.snapshot.segments.length === 1;
  const partials = aggregations.map(emptyPartial);
  let total = 0;
  forEachMatched(context, plan, ({ reader, matches, count, matchesOf }) => {
    total += count;
    const own = aggregateSegment(reader, aggregations, matches, (c: Clause) => matchesOf(c), alone);
    own.forEach((partial: AggPartial, i) => {
      mergePartials(partials[i], partial);
    });
  });
  return { results: finishAggregations(aggregations, partials), total };
}
