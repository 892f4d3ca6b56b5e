import type { CheckedRequest, SearchResponse } from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import { notesOf, type SearchContext } from './context.ts';
import { searchIndex } from './search.ts';

const loadSuggestions = lazily(() => import('./suggested-query.ts'));

/** Answers a search; one without hits says what was probably meant if the request asks for it. */
export async function searchLexical(
  context: SearchContext,
  checked: CheckedRequest,
): Promise<SearchResponse> {
  const answer = await searchIndex(context, checked);
  if (answer.total > 0 || checked.request.suggest !== true) return answer;
  const { suggestions } = await loadSuggestions();
  const { notes, ...found } = await suggestions(context, checked);
  return { ...answer, ...found, ...notesOf([...(answer.notes ?? []), ...notes]) };
}
