/** One bucket: the documents that a filter matches, or those without a value. */
import type { JsonObject, QueryTree } from '@lakehouse-search/contract';
import type { Clause } from '../../query/bind/clause.ts';
import type { Aggregation, AggregationKind, KindRequest, Nested } from '../aggregation.ts';
import { bitmapBuckets } from '../bitmap-task.ts';
import { withSteps } from '../bucket-figure.ts';
import type { BucketsPartial } from '../partial.ts';
import { objectAt } from '../read/read-options.ts';

/** `filter: "query"`, `{query: "…"}` or a query tree. */
export const FILTER_KIND: AggregationKind = {
  buckets: 'some',
  read: (request) => oneBucket(request.nested, request.bindFilter(filterOf(request))),
};

/** `missing: {field}`. */
export const MISSING_KIND: AggregationKind = {
  buckets: 'some',
  read({ nested, options, field }) {
    const mustNot: Clause[] = [{ kind: 'exists', boost: 1, field: field(options(['field'])) }];
    const clause = { kind: 'bool', must: [], should: [], mustNot, filter: [], minimum: 0 } as const;
    return oneBucket(nested, clause);
  },
};

/** The filter of a request. Throws invalid_argument unless it is a text or an object. */
export function filterOf({ body, path }: Pick<KindRequest, 'body' | 'path'>): string | QueryTree {
  if (typeof body === 'string') return body;
  const tree: JsonObject = objectAt(body, path);
  const { query, ...others } = tree;
  return typeof query === 'string' && Object.keys(others).length === 0
    ? query
    : (tree as QueryTree);
}

function oneBucket(nested: Nested, clause: Clause): Aggregation<BucketsPartial> {
  const { name, subs, steps } = nested;
  return {
    name,
    figures: [{ text: name, value: ({ buckets }) => buckets.get(0n)!.count }],
    ...bitmapBuckets([clause], subs),
    finish({ buckets }, answer) {
      const [own] = withSteps([[0n, buckets.get(0n)!]], steps);
      return answer.bucket(nested, {}, own);
    },
  };
}
