import { INDEX } from '../examples.ts';
import { operation } from '../operation.ts';
import { checkAggregateRequest, checkFacetsRequest } from './check.ts';

const READ = { scope: 'search', tenants: true, nodes: 'shards', idempotent: true } as const;

/** The operations of counts and figures over hits. */
export const AGGREGATION_OPERATIONS = Object.freeze({
  aggregate: operation('POST /v1/aggregate', 'Search/Aggregate', {
    ...READ,
    check: checkAggregateRequest,
    example: { ...INDEX, query: '*:*', aggs: { by_status: { terms: { field: 'status' } } } },
  }),
  facets: operation('POST /v1/facets', 'Search/Facets', {
    ...READ,
    check: checkFacetsRequest,
    example: { ...INDEX, query: 'timeout', fields: ['status'], size: 10 },
  }),
});
