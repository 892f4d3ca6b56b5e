import { INDEX } from '../examples.ts';
import { operation } from '../operation.ts';
import { checkDiffRequest } from './check.ts';

/** The operations of two versions of an index. */
export const DIFF_OPERATIONS = Object.freeze({
  diffHits: operation('POST /v1/index:diff', 'Search/DiffHits', {
    scope: 'ops',
    nodes: 'shards',
    idempotent: true,
    check: checkDiffRequest,
    example: { ...INDEX, query: 'timeout', from: '5029384756100371', to: 'now' },
  }),
});
