/**
 * A request bound to an index and not run: it ends in the error that a search of it would end in
 * before it looks at a document.
 */

import type { CheckedRequest } from '@lakehouse-search/contract';
import { bindQuery } from '../../query/bind/bind.ts';
import type { QueryFields } from '../../query/bind/fields.ts';
import { type GivenDocs, givenDocs } from '../../query/bind/given.ts';
import { nearestField, nearestName, nearestNodes } from '../../query/bind/nearest.ts';
import type { Query } from '../../query/query.ts';
import { parseQuery } from '../../query/syntax/parse.ts';
import { readTree } from '../../query/tree/read.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { planSearch, queryFields, readFilter, readQuery } from '../request/plan.ts';
import { boundAggregations, facetFields } from '../summarize.ts';

/** Throws invalid_query, invalid_argument or limit_exceeded unless the request fits the index. */
export function bindOnly(mapping: Mapping, checked: CheckedRequest): void {
  const { request } = checked;
  const fields = queryFields(mapping);
  const query = bindNearest(readQuery(request, mapping), fields);
  const filter = readFilter(request, mapping);
  const given = { query, filter: filter === null ? undefined : bindNearest(filter, fields) };
  planSearch(checked, mapping, given);
  if (request.facets !== undefined) facetFields(mapping, request.facets);
  if (request.aggs !== undefined) boundAggregations(mapping, request, request.aggs);
}

/** Throws invalid_query or limit_exceeded unless the request's queries can be read. */
export function readOnly({ request: { query, ast, filter, syntax } }: CheckedRequest): void {
  const parse = (text: string) => parseQuery(text, { syntax, defaultField: 'text' });
  if (query !== undefined) parse(query);
  if (ast !== undefined) readTree(ast);
  if (typeof filter === 'string') parse(filter);
  else if (filter !== undefined) readTree(filter);
}

/** No documents for each `knn` node: what they are near to is only known when they run. */
function bindNearest(query: Query, fields: QueryFields): ReadonlyMap<string, GivenDocs> {
  const given = new Map<string, GivenDocs>();
  for (const node of nearestNodes(query)) {
    nearestField(node, fields);
    if (node.filter !== undefined) {
      bindQuery(node.filter, { ...fields, given: bindNearest(node.filter, fields) });
    }
    given.set(nearestName(node), givenDocs('none', [], [], null));
  }
  return given;
}
