import { INDEX } from '../examples.ts';
import { operation } from '../operation.ts';
import { checkSearchRequest } from './check.ts';
import { checkHybridRequest, checkSemanticRequest } from './check-nearest.ts';

const READ = { scope: 'search', tenants: true, nodes: 'shards', idempotent: true } as const;

/** The operations of searches. */
export const SEARCH_OPERATIONS = Object.freeze({
  search: operation('POST /v1/search', 'Search/Search', {
    ...READ,
    check: checkSearchRequest,
    example: { ...INDEX, query: 'status:open timeout', limit: 10, highlight: {} },
  }),
  semantic: operation('POST /v1/search:semantic', 'Search/Semantic', {
    ...READ,
    check: checkSemanticRequest,
    example: { ...INDEX, query_text: 'cannot sign in', k: 10 },
  }),
  hybrid: operation('POST /v1/search:hybrid', 'Search/Hybrid', {
    ...READ,
    check: checkHybridRequest,
    example: { ...INDEX, query_text: 'payment timeout', k: 10, rrf_k: 60 },
  }),
  clauseCounts: operation('POST /v1/search:clauses', 'Search/CountClauses', {
    member: 'queries.countClauses',
    ...READ,
    list: 'clauses',
    check: checkSearchRequest,
    example: { ...INDEX, query: 'payment timeout' },
  }),
});
