import type {
  Alias,
  CallContext,
  DeleteSavedQueryRequest,
  DropAliasRequest,
  ListRequest,
  ReplaceSavedQueryRequest,
  SavedQuery,
  SavedQueryDraft,
} from '@lakehouse-search/contract';
import {
  checkAliasRequest,
  checkDeleteSavedQuery,
  checkDropAliasRequest,
  checkListRequest,
  checkReplaceSavedQuery,
  checkSavedQueryDraft,
  checkSearchRequest,
  LhsError,
} from '@lakehouse-search/contract';
import { commitVersion } from '../open/open-index.ts';
import type { KnownIndex } from '../open/open-indexes.ts';
import { wasDropped } from '../registry/registry.ts';
import { isListed, requireListed } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { readIndex } from './read-index.ts';

/** Owner of the saved queries of the embedded engine: the data folder itself. */
const LOCAL_OWNER = '';

/** Owner of the saved queries of a caller. */
const ownerOf = ({ principal }: CallContext): string => principal?.subject ?? LOCAL_OWNER;

/** The aliases of the caller's indexes, by name. */
export function listAliases(
  { registry }: LocalIndexes,
  request: ListRequest | undefined,
  call: CallContext,
): readonly Alias[] {
  checkListRequest(request);
  return registry.aliases.list().filter(({ index }) => isListed(call, index));
}

/** The caller's saved queries, by name. */
export function listSavedQueries(
  { registry }: LocalIndexes,
  request: ListRequest | undefined,
  call: CallContext,
): readonly SavedQuery[] {
  checkListRequest(request);
  return registry.queries.list(ownerOf(call));
}

/** Lets an alias mean an index. Throws index_not_found, index_exists, invalid_argument. */
export function setAlias({ registry }: LocalIndexes, request: Alias, call: CallContext): Alias {
  const { alias, index } = checkAliasRequest(request);
  const target = registry.get(index);
  requireListed(call, target.name);
  if (!registry.aliases.set(alias, target.uuid)) throw wasDropped(target.name);
  return { alias, index: target.name };
}

/** Takes an alias out; its index stays. Throws not_found, invalid_argument. */
export function dropAlias(
  { registry }: LocalIndexes,
  request: DropAliasRequest,
  call: CallContext,
): void {
  const { alias } = checkDropAliasRequest(request);
  const held = registry.aliases.list().find((one) => one.alias === alias);
  if (held !== undefined) requireListed(call, held.index);
  registry.aliases.drop(alias);
}

/**
 * Keeps a query that its index could run. Throws already_exists, limit_exceeded, and what a search
 * of it would throw.
 */
export async function createSavedQuery(
  indexes: LocalIndexes,
  request: SavedQueryDraft,
  call: CallContext,
): Promise<SavedQuery> {
  const draft = checkSavedQueryDraft(request);
  await requireRunnable(indexes, draft, call);
  return indexes.registry.queries.create(ownerOf(call), draft);
}

/** Puts a draft in the place of a query. Throws not_found, and as `createSavedQuery`. */
export async function replaceSavedQuery(
  indexes: LocalIndexes,
  request: ReplaceSavedQueryRequest,
  call: CallContext,
): Promise<SavedQuery> {
  const { id, ...draft } = checkReplaceSavedQuery(request);
  await requireRunnable(indexes, draft, call);
  return indexes.registry.queries.replace(ownerOf(call), id, draft);
}

/** Where the index is not there or not built yet, only the queries of the request are read. */
async function requireRunnable(
  indexes: LocalIndexes,
  { request }: SavedQueryDraft,
  call: CallContext,
): Promise<void> {
  const { bindOnly, readOnly } = await import('../search/execute/bind-only.ts');
  const checked = checkSearchRequest(request);
  const known = knownIndex(indexes, request.index);
  if (known === null || commitVersion(known.folder) === null) readOnly(checked);
  else
    await readIndex(indexes, { index: request.index, call }, async ({ mapping }) =>
      bindOnly(mapping, checked),
    );
}

function knownIndex(indexes: LocalIndexes, index: string | undefined): KnownIndex | null {
  try {
    return indexes.resolve(index);
  } catch (error) {
    const named = error instanceof LhsError ? error.code : '';
    if (named === 'index_not_found' || named === 'invalid_argument') return null;
    throw error;
  }
}

/** Forgets a query. Throws not_found, invalid_argument. */
export function deleteSavedQuery(
  { registry }: LocalIndexes,
  request: DeleteSavedQueryRequest,
  call: CallContext,
): void {
  const { id } = checkDeleteSavedQuery(request);
  registry.queries.delete(ownerOf(call), id);
}
