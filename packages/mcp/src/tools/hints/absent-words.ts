import type {
  AggBucket,
  IndexDescription,
  SearchRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import type { AgentContext } from '../../base/agent-backend.ts';
import type { SearchInput } from '../search-request.ts';

/** Words of a query that are counted, and words that a note names. */
const COUNTED = 12;
const NAMED = 3;

type AbsentMatch = Pick<SearchInput, 'filter'> & Pick<SearchRequest, 'optional_fields'>;

/**
 * The response to a query by meaning, with a note on words that other rows have, and none that its
 * filter leaves: what is near to the query then lacks what it is about.
 */
export async function withAbsentWords(
  response: SearchResponse,
  { query, filter = '', optional_fields }: AbsentMatch & { readonly query: string },
  { index }: IndexDescription,
  context: AgentContext,
): Promise<SearchResponse> {
  const words = [...new Set(query.match(/[\p{L}\p{N}]{2,}/gu))].slice(0, COUNTED);
  if (response.total === 0 || filter === '' || words.length === 0) return response;
  const left = await rowsWith(words, { index, filter, optional_fields }, context);
  const absent = words.filter((word) => left.get(word) === 0);
  if (absent.length === 0) return response;
  const all = [...(await rowsWith(absent, { index }, context))].filter(([, rows]) => rows > 0);
  if (all.length === 0) return response;
  const rarest = all.toSorted(([, a], [, b]) => a - b).slice(0, NAMED);
  const listed = rarest.map(([word, rows]) => `"${word}" (${rows} others have it)`).join(', ');
  const note = `perhaps weak: no row that passes the filter has ${listed}`;
  return { ...response, notes: [...(response.notes ?? []), note] };
}

/** Rows with each word. */
async function rowsWith(
  words: readonly string[],
  match: AbsentMatch & { readonly index: string },
  { backend, call }: AgentContext,
): Promise<ReadonlyMap<string, number>> {
  const aggs = Object.fromEntries(words.map((word) => [word, { filter: `"${word}"` }]));
  const { results } = await backend.aggregate({ ...match, aggs }, call);
  return new Map(words.map((word) => [word, (results[word] as AggBucket).doc_count]));
}
