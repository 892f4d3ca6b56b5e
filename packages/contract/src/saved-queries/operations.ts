import { ID, INDEX } from '../examples.ts';
import { NO_FIELDS, operation } from '../operation.ts';
import { checkDeleteSavedQuery, checkReplaceSavedQuery, checkSavedQueryDraft } from './check.ts';

const READ = { scope: 'search', tenants: true, plane: 'answers', idempotent: true } as const;
const CHANGE = { scope: 'search', tenants: true, plane: 'answers' } as const;

/** The operations of saved queries. */
export const SAVED_QUERY_OPERATIONS = Object.freeze({
  listSavedQueries: operation('GET /v1/saved-queries', 'Admin/ListSavedQueries', {
    member: 'savedQueries.list',
    ...READ,
    list: 'saved_queries',
    ...NO_FIELDS,
  }),
  createSavedQuery: operation('POST /v1/saved-queries', 'Admin/CreateSavedQuery', {
    member: 'savedQueries.create',
    ...CHANGE,
    check: checkSavedQueryDraft,
    example: { name: 'open timeouts', request: { ...INDEX, query: 'timeout' } },
  }),
  replaceSavedQuery: operation('PUT /v1/saved-queries/{id}', 'Admin/ReplaceSavedQuery', {
    member: 'savedQueries.replace',
    ...READ,
    check: checkReplaceSavedQuery,
    example: { ...ID, name: 'timeouts', request: { ...INDEX, query: 'timeout' } },
  }),
  deleteSavedQuery: operation('DELETE /v1/saved-queries/{id}', 'Admin/DeleteSavedQuery', {
    member: 'savedQueries.delete',
    ...CHANGE,
    empty: true,
    check: checkDeleteSavedQuery,
    example: ID,
  }),
});
