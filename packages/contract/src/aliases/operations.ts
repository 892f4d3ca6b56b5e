import { INDEX } from '../examples.ts';
import { NO_FIELDS, operation } from '../operation.ts';
import { checkAliasRequest, checkDropAliasRequest } from './check.ts';

/** The operations of aliases. */
export const ALIAS_OPERATIONS = Object.freeze({
  listAliases: operation('GET /v1/aliases', 'Admin/ListAliases', {
    member: 'aliases.list',
    scope: 'index_read',
    plane: 'answers',
    idempotent: true,
    list: 'aliases',
    ...NO_FIELDS,
  }),
  setAlias: operation('POST /v1/aliases', 'Admin/SetAlias', {
    member: 'aliases.set',
    scope: 'admin',
    plane: 'answers',
    idempotent: true,
    activity: 'named',
    check: checkAliasRequest,
    example: { alias: 'current', ...INDEX },
  }),
  dropAlias: operation('DELETE /v1/aliases/{alias}', 'Admin/DropAlias', {
    member: 'aliases.drop',
    scope: 'admin',
    plane: 'answers',
    empty: true,
    activity: 'named',
    check: checkDropAliasRequest,
    example: { alias: 'current' },
  }),
});
