import type { CallContext, SearchRequest, SearchResponse } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { readIndex } from './read-index.ts';
import { answerOnceReached } from './wait-for-snapshot.ts';

const loadSearch = lazily(() => import('../search/search.ts'));

/** One search of an index. Throws as `searchIndex`. */
export async function searchLocal(
  indexes: LocalIndexes,
  request: SearchRequest,
  call: CallContext = {},
): Promise<SearchResponse> {
  const { searchIndex } = await loadSearch();
  const checked = checkSearchRequest(request);
  const { index, pit_id } = request;
  return answerOnceReached(indexes, request, () =>
    readIndex(indexes, { index, pit_id, call }, (context) => searchIndex(context, checked)),
  );
}
