import { INDEX, KEY } from '../examples.ts';
import { operation } from '../operation.ts';
import { checkKeysRequest } from './check.ts';

/** The operations of rows by key. */
export const KEY_OPERATIONS = Object.freeze({
  getKeys: operation('POST /v1/keys:get', 'Lookup/GetByKey', {
    scope: 'search',
    tenants: true,
    nodes: 'shards',
    idempotent: true,
    check: checkKeysRequest,
    example: { ...INDEX, keys: [KEY], columns: ['title'] },
  }),
});
