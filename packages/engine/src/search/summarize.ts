/**
 * Aggregations and facets of a bound search. Steps: the specifications are bound to the index's
 * fields; the matches of all segments are found; partials are made of them, and the answer.
 */

import type {
  AggResults,
  AggSpecs,
  Facet,
  FacetSpec,
  FacetsResponse,
  JsonObject,
  SearchRequest,
  SearchResponse,
  SkippedFacet,
} from '@lakehouse-search/contract';
import { aggregateAll } from '../aggregate/aggregate-segments.ts';
import type { Aggregation } from '../aggregate/aggregation.ts';
import { isAggregatable, plainField } from '../aggregate/aggregation-field.ts';
import { finishAggregations } from '../aggregate/finish.ts';
import { readAggregations } from '../aggregate/read-aggregations.ts';
import { findField, type QueryFields } from '../query/bind/fields.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { Mapping } from '../schema/mapping.ts';
import type { SearchContext } from './context.ts';
import { withMatched } from './execute/matches.ts';
import { bindFilter, queryFields, type SearchPlan } from './request/plan.ts';

/** What facets and aggregations are made of. */
type Matched = Pick<SearchPlan, 'checked' | 'clause' | 'filter'>;

/** Answers of facets and aggregations, where they are asked for, over all matching documents. */
export function summarize(
  context: SearchContext,
  plan: Matched,
  facets: FacetSpec | undefined,
  aggs: AggSpecs | undefined,
): FacetAnswer & { readonly aggs?: AggResults } {
  return {
    ...(facets === undefined ? {} : facetsOf(context, plan, facets).answer),
    ...(aggs === undefined ? {} : { aggs: aggregationsOf(context, plan, aggs).results }),
  };
}

/** The answers of aggregations by name. Throws invalid_argument, invalid_query, limit_exceeded. */
export function aggregationsOf(
  context: SearchContext,
  plan: Matched,
  aggs: unknown,
): { readonly results: AggResults; readonly total: number } {
  return run(context, plan, boundAggregations(context.mapping, plan.checked.request, aggs));
}

/** Aggregations bound to an index. Throws as `aggregationsOf`. */
export function boundAggregations(
  mapping: Mapping,
  request: SearchRequest,
  aggs: unknown,
): readonly Aggregation[] {
  return readAggregations(aggs, {
    fields: queryFields(mapping),
    bindFilter: (filter: string | JsonObject) =>
      bindFilter({ ...request, filter }, mapping) ?? { kind: 'none' },
  });
}

const FACET_SIZE = 10;

/** What facets are in an answer. */
type FacetAnswer = Pick<SearchResponse, 'facets' | 'skipped_facets'>;

/** The facets of the fields that can have some. Throws invalid_argument for unknown fields. */
export function facetsOf(
  context: SearchContext,
  plan: Matched,
  spec: FacetSpec,
): { readonly answer: Pick<FacetsResponse, keyof FacetAnswer>; readonly total: number } {
  const { counted, skipped } = facetFields(context.mapping, spec);
  const { size = FACET_SIZE } = spec;
  const terms = counted.map((field): Aggregation => {
    const order = { by: 'count', desc: true } as const;
    return { name: field.name, kind: 'terms', field, size, order, missing: null, subs: [] };
  });
  const { results, total } = run(context, plan, terms);
  const facets = terms.map(({ name }) => facet(name, results));
  return {
    answer: { facets, ...(skipped.length === 0 ? {} : { skipped_facets: skipped }) },
    total,
  };
}

/** Fields that can be counted, and the others with the reason. Throws for unknown fields. */
export function facetFields(
  mapping: Mapping,
  { fields: names }: FacetSpec,
): { readonly counted: readonly FieldPlan[]; readonly skipped: readonly SkippedFacet[] } {
  const fields = queryFields(mapping);
  const counted: FieldPlan[] = [];
  const skipped: SkippedFacet[] = [];
  for (const name of new Set(names)) {
    const reason = whySkipped(name, fields);
    if (reason === null) counted.push(plainField(name, 'fields', fields));
    else skipped.push({ field: name, reason });
  }
  return { counted, skipped };
}

function whySkipped(name: string, fields: QueryFields): string | null {
  if (findField(fields, name)?.kind === 'path') return 'it is a path without a declared field';
  const plan = plainField(name, 'fields', fields);
  if (isAggregatable(plan, fields)) return null;
  if (plan.type === 'TEXT') return 'it is TEXT, which has words and no values to count';
  return `it is ${plan.type} without fast`;
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
  return withMatched(context, plan, (segments, deadline) => {
    const partials = aggregateAll(segments, aggregations, deadline);
    const total = segments.reduce((sum, { count }) => sum + count, 0);
    return { results: finishAggregations(aggregations, partials), total };
  });
}
