import type { SearchRequest } from '@lakehouse-search/contract';
import type { CheckedRequest } from '@lakehouse-search/contract/internal';
import type { Query } from '../../query/query.ts';
import { filterParts, readFilter, readQuery } from '../../shard/request/bind-request.ts';
import type { SearchContext } from '../context.ts';

/** A request that notes are about, with its trees, which all of them share. */
export interface ReadRequest {
  readonly context: SearchContext;
  readonly checked: CheckedRequest;
  readonly tree: Query;
  /** null: the request has no filter. */
  readonly filterTree: Query | null;
}

/** The trees of a request. Throws as `readQuery`. */
export function readRequest(context: SearchContext, checked: CheckedRequest): ReadRequest {
  const { request } = checked;
  const tree = readQuery(request, context.mapping);
  return { context, checked, tree, filterTree: readFilter(request, context.mapping) };
}

/** The parts of a request that decide which documents match. */
export function matchOf(request: SearchRequest): SearchRequest {
  const { query, ast } = request;
  const parts = Object.entries({ query, ast, ...filterParts(request) });
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}
