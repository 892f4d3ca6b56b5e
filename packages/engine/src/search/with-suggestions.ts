/** Searches, aggregations and facets that say why nothing matches, if the request asks for it. */
import type {
  AggregateResponse,
  CheckedAggregate,
  CheckedFacets,
  CheckedRequest,
  FacetsResponse,
  SearchResponse,
} from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import { notesOf, type SearchContext } from './context.ts';
import { searchIndex } from './search.ts';

const loadSuggestions = lazily(() => import('./suggested-query.ts'));
const loadSummaries = lazily(() => import('./summarize.ts'));

/** Answers a search. */
export const searchLexical = async (
  context: SearchContext,
  checked: CheckedRequest,
): Promise<SearchResponse> =>
  withSuggestions(context, checked, await searchIndex(context, checked));

/** Answers aggregations. */
export async function aggregateLexical(
  context: SearchContext,
  checked: CheckedAggregate,
): Promise<AggregateResponse> {
  const { aggregateIndex } = await loadSummaries();
  return withSuggestions(context, checked.match, await aggregateIndex(context, checked));
}

/** Answers facets. */
export async function facetsLexical(
  context: SearchContext,
  checked: CheckedFacets,
): Promise<FacetsResponse> {
  const { facetIndex } = await loadSummaries();
  return withSuggestions(context, checked.match, await facetIndex(context, checked));
}

async function withSuggestions<Response extends Pick<SearchResponse, 'total' | 'notes'>>(
  context: SearchContext,
  checked: CheckedRequest,
  response: Response,
): Promise<Response> {
  if (response.total > 0 || checked.request.suggest !== true) return response;
  const { suggestions } = await loadSuggestions();
  const { notes, ...found } = await suggestions(context, checked);
  return { ...response, ...found, ...notesOf([...(response.notes ?? []), ...notes]) };
}
