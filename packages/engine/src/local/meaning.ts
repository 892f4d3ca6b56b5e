import type {
  CallContext,
  HybridRequest,
  SearchResponse,
  SemanticRequest,
} from '@lakehouse-search/contract';
import { checkHybridRequest, checkSemanticRequest } from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { readIndex } from './read-index.ts';
import { answerOnceReached } from './wait-for-snapshot.ts';

const loadSearchMeaning = lazily(() => import('../search/hybrid/search-meaning.ts'));

/** One semantic search. Throws as `searchSemantic`. */
export async function semanticLocal(
  indexes: LocalIndexes,
  request: SemanticRequest,
  call: CallContext = {},
): Promise<SearchResponse> {
  const { searchSemantic } = await loadSearchMeaning();
  const checked = checkSemanticRequest(request);
  const { index, pit_id } = request;
  return answerOnceReached(indexes, request, () =>
    readIndex(indexes, { index, pit_id, call }, (context) => searchSemantic(context, checked)),
  );
}

/** The same for a hybrid search. */
export async function hybridLocal(
  indexes: LocalIndexes,
  request: HybridRequest,
  call: CallContext = {},
): Promise<SearchResponse> {
  const { searchHybrid } = await loadSearchMeaning();
  const checked = checkHybridRequest(request);
  const { index, pit_id } = request;
  return answerOnceReached(indexes, request, () =>
    readIndex(indexes, { index, pit_id, call }, (context) => searchHybrid(context, checked)),
  );
}
