import {
  type CallContext,
  type DeleteSavedQueryRequest,
  LhsError,
  type ListRequest,
  type ReplaceSavedQueryRequest,
  type SavedQuery,
  type SavedQueryDraft,
} from '@lakehouse-search/contract';
import {
  checkDeleteSavedQuery,
  checkListRequest,
  checkReplaceSavedQuery,
  checkSavedQueryDraft,
  checkSearchOf,
  isRestricted,
} from '@lakehouse-search/contract/internal';
import { commitVersion, type KnownIndex } from '../../open/open-index.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { requireWritable } from '../served-folder.ts';
import { readIndex } from './reads.ts';

/** Owner of the saved queries of the embedded engine: the data folder itself. */
const LOCAL_OWNER = '';

/** Owner of the saved queries of a caller. */
const ownerOf = ({ principal }: CallContext): string => principal?.subject ?? LOCAL_OWNER;

/** The caller's saved queries, by name. */
export function listSavedQueries(
  { registry }: LocalIndexes,
  request: ListRequest | undefined,
  call: CallContext,
): readonly SavedQuery[] {
  checkListRequest(request);
  return registry.queries.list(ownerOf(call));
}

/**
 * Saves a query that its index could run. Throws already_exists, limit_exceeded, and what a search
 * of it would throw.
 */
export async function createSavedQuery(
  indexes: LocalIndexes,
  request: SavedQueryDraft,
  call: CallContext,
): Promise<SavedQuery> {
  const draft = checkSavedQueryDraft(request);
  requireWritable(indexes, 'save a query of');
  await requireRunnable(indexes, draft, call);
  return indexes.registry.queries.create(ownerOf(call), draft);
}

/** Replaces a saved query. Throws not_found, and as `createSavedQuery`. */
export async function replaceSavedQuery(
  indexes: LocalIndexes,
  request: ReplaceSavedQueryRequest,
  call: CallContext,
): Promise<SavedQuery> {
  const { id, ...draft } = checkReplaceSavedQuery(request);
  await requireRunnable(indexes, draft, call);
  return indexes.registry.queries.replace(ownerOf(call), id, draft);
}

/** If the index does not exist or is not built yet, only the syntax of the queries is checked. */
async function requireRunnable(
  indexes: LocalIndexes,
  { mode = 'lexical', request }: SavedQueryDraft,
  call: CallContext,
): Promise<void> {
  const { bindOnly, readOnly } = await import('../../search/bind-only.ts');
  const checked = checkSearchOf(mode, request);
  if (request.index && isRestricted(call)) accessible(indexes, request.index, call);
  const known = knownIndex(indexes, request.index);
  if (known === null || commitVersion(known.folder) === null) readOnly(checked);
  else
    await readIndex(indexes, { index: request.index }, call, async ({ mapping }) =>
      bindOnly(mapping, checked),
    );
}

function knownIndex(indexes: LocalIndexes, index: string | undefined): KnownIndex | null {
  try {
    return indexes.resolve(index);
  } catch (error) {
    const code = error instanceof LhsError ? error.code : '';
    if (code === 'index_not_found' || code === 'invalid_argument') return null;
    throw error;
  }
}

/** Deletes a saved query. Throws not_found, invalid_argument. */
export function deleteSavedQuery(
  { registry }: LocalIndexes,
  request: DeleteSavedQueryRequest,
  call: CallContext,
): void {
  const { id } = checkDeleteSavedQuery(request);
  registry.queries.delete(ownerOf(call), id);
}
