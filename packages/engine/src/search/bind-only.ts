/**
 * A request that is bound to an index and not run: it ends in the error in which a search of it
 * would end before it reads a document.
 */

import type {
  CheckedRequest,
  CheckedSearch,
  CheckedSemantic,
} from '@lakehouse-search/contract/internal';
import { bindQuery } from '../query/bind/bind.ts';
import { nearestField, precomputedName, precomputedNodes } from '../query/bind/nearest.ts';
import type { Query } from '../query/query.ts';
import { parseQuery } from '../query/syntax/parse.ts';
import { readTree } from '../query/tree/read.ts';
import type { Mapping } from '../schema/mapping.ts';
import { bindSummary } from '../shard/request/bind-aggregations.ts';
import { bindRequest, readFilter, readQuery } from '../shard/request/bind-request.ts';
import { docsByName, lexicalFields } from '../shard/request/precomputed.ts';
import { queryFields } from '../shard/request/query-fields.ts';
import { readSearchAfter } from '../shard/request/sort-values.ts';
import type { NamedDocs } from '../shard/shard.ts';
import { requireNear, vectorFieldOf } from './hybrid/query-vector.ts';
import { likedFields } from './liked-terms.ts';

/** Throws invalid_query, invalid_argument or limit_exceeded unless the search fits the index. */
export function bindOnly(mapping: Mapping, search: CheckedSearch): void {
  bindShared(mapping, search.mode === 'lexical' ? search.checked : search.checked.search);
  if (search.mode !== 'lexical') bindMeaning(mapping, search.checked);
  if (search.mode === 'hybrid') lexicalFields(mapping, search.checked.lexicalFields);
}

/** The field and the vector of a search by meaning. No model is opened. */
function bindMeaning(mapping: Mapping, { nearest }: CheckedSemantic): void {
  const field = vectorFieldOf(queryFields(mapping), nearest.vector_field);
  requireNear(field, nearest);
}

/** What a search of any mode has. */
function bindShared(mapping: Mapping, search: CheckedRequest): void {
  const { request } = search;
  const { search_after: after, facets, aggs } = request;
  const filter = readFilter(request, mapping);
  const precomputed = {
    query: noDocs(mapping, readQuery(request, mapping)),
    ...(filter === null ? {} : { filter: noDocs(mapping, filter) }),
  };
  const query = { search, precomputed };
  const { order } = bindRequest(mapping, query);
  if (after !== undefined) readSearchAfter(after, order, mapping.key);
  if (facets === undefined && aggs === undefined) return;
  const { unresolved } = bindSummary(mapping, query, { facets, aggs });
  if (unresolved.length === 0) return;
  const near = { ...precomputed, aggs: unresolved.flatMap((tree) => noDocs(mapping, tree)) };
  bindSummary(mapping, { ...query, precomputed: near }, { facets, aggs });
}

/** Throws invalid_query or limit_exceeded unless the search's queries can be read. */
export function readOnly({ mode, checked }: CheckedSearch): void {
  const { request } = mode === 'lexical' ? checked : checked.search;
  const { query, ast, filter, syntax } = request;
  const parse = (text: string) => parseQuery(text, { syntax, defaultFields: ['text'] });
  if (query !== undefined) parse(query);
  if (ast !== undefined) readTree(ast);
  if (typeof filter === 'string') parse(filter);
  else if (filter !== undefined) readTree(filter);
}

/** Nothing for each such clause: what is near or alike is only known when it runs. */
function noDocs(mapping: Mapping, query: Query): readonly NamedDocs[] {
  const fields = queryFields(mapping);
  return [...precomputedNodes(query)].map((node) => {
    const name = precomputedName(node);
    if (node.kind === 'more_like_this') {
      likedFields(node, mapping);
      return { name, found: { liked: [] } };
    }
    nearestField(node, fields);
    const { filter } = node;
    if (filter !== undefined) {
      bindQuery(filter, queryFields(mapping, docsByName(noDocs(mapping, filter), mapping, null)));
    }
    return { name, found: { label: 'none', segments: [], words: null } };
  });
}
