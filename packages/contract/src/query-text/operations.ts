import { INDEX } from '../examples.ts';
import { operation } from '../operation.ts';
import {
  checkAnalyzeRequest,
  checkBenchRequest,
  checkParseRequest,
  checkPrintRequest,
  checkSuggestRequest,
} from './check.ts';

const ANALYSIS = { scope: 'search', tenants: true, nodes: 'one', idempotent: true } as const;

/** The operations of query texts, terms and times of queries. */
export const QUERY_TEXT_OPERATIONS = Object.freeze({
  suggest: operation('POST /v1/suggest', 'Search/Suggest', {
    scope: 'search',
    tenants: true,
    nodes: 'shards',
    idempotent: true,
    check: checkSuggestRequest,
    example: { ...INDEX, field: 'title', text: 'pay', limit: 5 },
  }),
  analyze: operation('POST /v1/index:analyze', 'Search/Analyze', {
    member: 'queries.analyze',
    ...ANALYSIS,
    check: checkAnalyzeRequest,
    example: { ...INDEX, field: 'title', text: 'Payment timeouts' },
  }),
  parseQuery: operation('POST /v1/query:parse', 'Search/ParseQuery', {
    member: 'queries.parse',
    ...ANALYSIS,
    check: checkParseRequest,
    example: { ...INDEX, query: 'status:open timeout' },
  }),
  printQuery: operation('POST /v1/query:print', 'Search/PrintQuery', {
    member: 'queries.print',
    ...ANALYSIS,
    check: checkPrintRequest,
    example: { ...INDEX, ast: { term: { field: 'status', value: 'open' } } },
  }),
  bench: operation('POST /v1/index:bench', 'Search/Bench', {
    member: 'queries.bench',
    scope: 'ops',
    nodes: 'shards',
    check: checkBenchRequest,
    example: { ...INDEX, queries: ['timeout'], repeat: 3 },
  }),
});
