import type { SearchRequest, SearchResponse } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { readIndex } from './read-index.ts';
import { answerOnceReached } from './wait-for-snapshot.ts';

const loadSearch = lazily(() => import('../search/search.ts'));

/** One search of an index, of what a tenant sees of it where one is named. Throws as `searchIndex`. */
export async function searchLocal(
  indexes: LocalIndexes,
  request: SearchRequest,
  tenant?: string,
): Promise<SearchResponse> {
  const { searchIndex } = await loadSearch();
  const checked = checkSearchRequest(request);
  const { index, pit_id } = request;
  return answerOnceReached(indexes, request, () =>
    readIndex(indexes, { index, pit_id, tenant }, (context) => searchIndex(context, checked)),
  );
}
