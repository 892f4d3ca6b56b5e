import type {
  Alias,
  DeleteSavedQueryRequest,
  DropAliasRequest,
  ReplaceSavedQueryRequest,
  SavedQuery,
  SavedQueryDraft,
} from '../backend.ts';
import { wasDropped } from '../registry/registry.ts';
import { checkAliasRequest, checkDropAliasRequest } from '../requests/aliases.ts';
import {
  checkDeleteSavedQuery,
  checkReplaceSavedQuery,
  checkSavedQueryDraft,
} from '../requests/saved-queries.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** Owner of the saved queries of the embedded engine: the data folder itself. */
export const LOCAL_OWNER = '';

/** Lets an alias mean an index. Throws index_not_found, index_exists, invalid_argument. */
export function setAlias({ registry }: LocalIndexes, request: Alias): Alias {
  const { alias, index } = checkAliasRequest(request);
  const target = registry.get(index);
  if (!registry.aliases.set(alias, target.uuid)) throw wasDropped(target.name);
  return { alias, index: target.name };
}

/** Takes an alias out; its index stays. Throws not_found, invalid_argument. */
export function dropAlias({ registry }: LocalIndexes, request: DropAliasRequest): void {
  const { alias } = checkDropAliasRequest(request);
  registry.aliases.drop(alias);
}

/** Keeps a query. Throws already_exists, limit_exceeded, invalid_argument. */
export function createSavedQuery({ registry }: LocalIndexes, request: SavedQueryDraft): SavedQuery {
  return registry.queries.create(LOCAL_OWNER, checkSavedQueryDraft(request));
}

/** Puts a draft in the place of a query. Throws not_found, already_exists, invalid_argument. */
export function replaceSavedQuery(
  { registry }: LocalIndexes,
  request: ReplaceSavedQueryRequest,
): SavedQuery {
  const { id, ...draft } = checkReplaceSavedQuery(request);
  return registry.queries.replace(LOCAL_OWNER, id, draft);
}

/** Forgets a query. Throws not_found, invalid_argument. */
export function deleteSavedQuery(
  { registry }: LocalIndexes,
  request: DeleteSavedQueryRequest,
): void {
  const { id } = checkDeleteSavedQuery(request);
  registry.queries.delete(LOCAL_OWNER, id);
}
