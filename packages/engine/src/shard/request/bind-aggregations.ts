import type { FacetSpec, QueryTree, SkippedFacet } from '@lakehouse-search/contract';
import type { Aggregation } from '../../aggregate/aggregation.ts';
import { mostFrequent } from '../../aggregate/kinds/terms.ts';
import { declaredField, declareHint } from '../../aggregate/read/aggregation-field.ts';
import { readAggregations } from '../../aggregate/read/read-aggregations.ts';
import { fastHint } from '../../query/bind/bounds.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { fastField, findField, type QueryFields } from '../../query/bind/fields.ts';
import { hasPrecomputed } from '../../query/bind/nearest.ts';
import type { Query } from '../../query/query.ts';
import { readTree } from '../../query/tree/read.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Mapping } from '../../schema/mapping.ts';
import type { ShardQuery, SummarySpecs } from '../shard.ts';
import { bindFilter } from './bind-request.ts';
import { BindingMemo } from './binding-memo.ts';
import { docsByName } from './precomputed.ts';
import { queryFields } from './query-fields.ts';

const FACET_SIZE = 10;

/** Facets and aggregations as a shard runs them. */
export interface BoundSummary {
  /** A terms aggregation per facet, then the aggregations of the request. */
  readonly all: readonly Aggregation[];
  /** How many of them are facets. */
  readonly facets: number;
  readonly skipped: readonly SkippedFacet[];
  /**
   * Filters of aggregations with `knn` clauses whose documents are not in the query: they match
   * nothing here.
   */
  readonly unresolved: readonly Query[];
}

const bound = new BindingMemo<SummarySpecs, BoundSummary>();

/**
 * Binds facets and aggregations, once per object of specifications. `segmentIds`: as for
 * `bindRequest`. Throws invalid_argument for unknown fields and wrong options, invalid_query,
 * limit_exceeded.
 */
export function bindSummary(
  mapping: Mapping,
  query: ShardQuery,
  specs: SummarySpecs,
  segmentIds: readonly string[] | null = null,
): BoundSummary {
  const reusable = query.precomputed?.aggs === undefined;
  const known = reusable ? bound.get(mapping, specs) : undefined;
  if (known !== undefined) return known;
  const { facets, aggs } = specs;
  const terms = facets === undefined ? null : facetTerms(mapping, facets);
  const filters = new FilterBinder(mapping, query, segmentIds);
  const bindOne = (filter: string | QueryTree) => filters.bind(filter);
  const scope = { fields: queryFields(mapping), bindFilter: bindOne };
  const own = aggs === undefined ? [] : readAggregations(aggs, scope);
  const counted = terms?.counted ?? [];
  const as = {
    all: [...counted, ...own],
    facets: counted.length,
    skipped: terms?.skipped ?? [],
    unresolved: filters.unresolved,
  };
  if (reusable) bound.set(mapping, specs, as);
  return as;
}

/** Binds the filters of aggregations. */
class FilterBinder {
  readonly #mapping: Mapping;
  readonly #query: ShardQuery;
  readonly #docs: ReturnType<typeof docsByName>;
  readonly unresolved: Query[] = [];

  constructor(mapping: Mapping, query: ShardQuery, segmentIds: readonly string[] | null) {
    this.#mapping = mapping;
    this.#query = query;
    this.#docs = docsByName(query.precomputed?.aggs, mapping, segmentIds);
  }

  bind(filter: string | QueryTree): Clause {
    if (typeof filter !== 'string' && this.#docs === undefined) {
      const tree = readTree(filter);
      if (hasPrecomputed(tree)) {
        this.unresolved.push(tree);
        return { kind: 'none' };
      }
    }
    const request = { ...this.#query.search.request, filter };
    return bindFilter(request, this.#mapping, this.#docs) ?? { kind: 'none' };
  }
}

/** Facets as terms aggregations, and the fields that cannot be counted. */
function facetTerms(mapping: Mapping, { fields: names, size = FACET_SIZE }: FacetSpec) {
  const fields = queryFields(mapping);
  const counted: Aggregation[] = [];
  const skipped: SkippedFacet[] = [];
  for (const name of new Set(names)) {
    const found = facetField(name, fields);
    if (typeof found === 'string') skipped.push({ field: name, reason: found });
    else counted.push(mostFrequent(name, found, size));
  }
  return { counted, skipped };
}

/** The field whose values are counted, or why none are. */
function facetField(name: string, fields: QueryFields): FieldPlan | string {
  if (findField(fields, name)?.kind === 'path')
    return `it is a path without a declared field: ${declareHint(name, fields)}`;
  const plan = declaredField(name, 'facets', fields);
  const fast = fastField(plan, fields);
  if (fast !== undefined) return fast;
  const why =
    plan.type === 'TEXT'
      ? 'it is TEXT, which has words and no values to count'
      : `it is ${plan.type} without fast`;
  return `${why}: ${fastHint(plan, fields, '')}`;
}
