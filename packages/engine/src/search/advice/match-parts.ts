import type { SearchRequest } from '@lakehouse-search/contract';
import { filterParts } from '../../shard/request/bind-request.ts';

/** The parts of a request that decide which documents match. */
export function matchOf(request: SearchRequest): SearchRequest {
  const { query, ast } = request;
  const parts = Object.entries({ query, ast, ...filterParts(request) });
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}
