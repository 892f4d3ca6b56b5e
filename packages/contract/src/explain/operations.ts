import { INDEX, KEY } from '../examples.ts';
import { operation } from '../operation.ts';
import { checkExplainRequest } from './check.ts';

/** The operations of explanations. */
export const EXPLAIN_OPERATIONS = Object.freeze({
  explain: operation('POST /v1/explain', 'Search/Explain', {
    scope: 'search',
    tenants: true,
    nodes: 'shards',
    idempotent: true,
    check: checkExplainRequest,
    example: { ...INDEX, query: 'timeout', coordinates: KEY },
  }),
});
