/** Searches, aggregations and facets that say why nothing matches, if the request asks for it. */
import type { AggregateResponse, FacetsResponse, SearchResponse } from '@lakehouse-search/contract';
import type {
  CheckedAggregate,
  CheckedFacets,
  CheckedRequest,
} from '@lakehouse-search/contract/internal';
import { lazily } from '../../base/lazily.ts';
import { notesOf, type SearchContext } from '../context.ts';
import { searchIndex } from '../search.ts';
import type { CountedNotes } from './counted-notes.ts';

const loadMeant = lazily(() => import('./counted-notes.ts'));
const loadRequests = lazily(() => import('./read-request.ts'));
const loadErrors = lazily(() => import('./counted-error.ts'));
const loadWritten = lazily(() => import('./written/written-request.ts'));
const loadSuggestions = lazily(() => import('./suggested-query.ts'));
const loadSummaries = lazily(() => import('../summarize.ts'));

/** Answers a search. */
export const searchLexical = async (
  context: SearchContext,
  checked: CheckedRequest,
): Promise<SearchResponse> =>
  withSuggestions(context, checked, () => searchIndex(context, checked));

/** Answers aggregations. */
export async function aggregateLexical(
  context: SearchContext,
  checked: CheckedAggregate,
): Promise<AggregateResponse> {
  const { aggregateIndex } = await loadSummaries();
  return withSuggestions(context, checked.match, () => aggregateIndex(context, checked));
}

/** Answers facets. */
export async function facetsLexical(
  context: SearchContext,
  checked: CheckedFacets,
): Promise<FacetsResponse> {
  const { facetIndex } = await loadSummaries();
  return withSuggestions(context, checked.match, () => facetIndex(context, checked));
}

async function withSuggestions<Response extends Pick<SearchResponse, 'total' | 'notes'>>(
  context: SearchContext,
  checked: CheckedRequest,
  respond: () => Promise<Response>,
): Promise<Response> {
  if (checked.request.suggest !== true) return respond();
  let response: Response;
  try {
    response = await respond();
  } catch (error) {
    throw await (await loadErrors()).countedError(context, checked, error);
  }
  const { noteOf, writtenRequest } = await loadWritten();
  const written = await writtenRequest(context, checked.request);
  if (written !== undefined) return { ...response, ...noteOf(written, checked.request.query) };
  const read = (await loadRequests()).readRequest(context, checked);
  const { notes: said = [] } = response;
  const reader = said.length === 0 ? undefined : await loadMeant();
  const {
    notes: counted,
    without = [],
    ...meant
  }: CountedNotes = (await reader?.countedNotes(read, said)) ?? {
    notes: said,
  };
  // conditions that can be read as clauses are read in no other way
  const isRead = counted !== said && reader?.hasConditions(read) === true;
  if (isRead) return { ...response, ...meant, ...notesOf(counted) };
  const { doubts, suggestions } = await loadSuggestions();
  const { notes, ...found } =
    response.total > 0 ? await doubts(read, response) : await suggestions(read);
  const isBetter = found.suggested_query !== undefined;
  const kept = isBetter ? counted.filter((note) => !without.includes(note)) : counted;
  return { ...response, ...found, ...meant, ...notesOf([...kept, ...notes]) };
}
