/** A search from its flags to its presentation: the request of a mode, sent to a backend. */
import {
  LhsError,
  type MatchRequest,
  type ModeRequest,
  type SearchMode,
  type SearchRequest,
  type SearchResponse,
} from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import type { OutputFormat } from '../output/output-target.ts';
import type { AnswerShapes } from '../output/write-answer.ts';
import { plural } from '../terminal/figures.ts';
import type { Style } from '../terminal/style.ts';
import { described } from './described.ts';
import { inFieldCase } from './field-case.ts';
import { displayColumns, MAX_ROWS, withRowTexts } from './lines/display-columns.ts';
import { skippedFacets } from './lines/facet-lines.ts';
import { remarks } from './lines/hit-lines.ts';
import { hitTable } from './lines/hit-rows.ts';
import { partialRemarks } from './lines/partial.ts';
import { lagLines, nothingFound, nothingNear, resultLines } from './lines/result-lines.ts';
import {
  matchFlags,
  refuseForeign,
  requestPart,
  type SearchFlags,
  searchFlags,
} from './search-flags.ts';

const PARTIAL_EXIT = 6;

/** Where a response goes, and where remarks on it do. */
export interface SearchPlace {
  readonly format: OutputFormat;
  readonly style: Style;
  readonly width: number;
  /** For people, the texts of a hit are read from the table if the index caches none. */
  readonly readsRows: boolean;
  /** The key of the row that hits are like, as it was typed. */
  readonly like?: string;
  err(...lines: readonly string[]): void;
}

/** A search of any mode, presented in the shape that a format needs. */
export async function runSearch(
  backend: BackendApi,
  mode: SearchMode,
  index: string,
  text: string | undefined,
  written: SearchFlags,
  place: SearchPlace,
): Promise<AnswerShapes> {
  refuseIdle(mode, written);
  const flags = await inFieldCase(written, index, backend);
  const { like } = flags;
  const search =
    like === undefined
      ? await modeRequest(mode, index, text, flags)
      : await likeRequest(backend, mode, { index, text, like }, flags);
  return presentSearch(backend, search, like === undefined ? place : { ...place, like }, (answer) =>
    shapedAnswer(answer, flags),
  );
}

/**
 * Sends a request when a shape of its response is wanted. Lines contain the remarks on a response;
 * with rows they go to standard error. Throws invalid_argument for facets and
 * aggregations in a format of rows.
 */
export function presentSearch(
  backend: BackendApi,
  search: ModeRequest,
  { format, style, width, readsRows, like, err }: SearchPlace,
  shape: (answer: SearchResponse) => SearchResponse = (answer) => answer,
): AnswerShapes {
  const { index } = search.request;
  const isFixed = search.mode === 'lexical' && search.request.suggest === true;
  const fixed = async (request: ModeRequest, query: unknown, what: string) => {
    if (!isFixed || request.mode !== 'lexical' || typeof query !== 'string') return undefined;
    const { query: written } = request.request;
    const answer = await searchByMode(backend, withQuery(request, query));
    const notes = [`${what} for ${written}: searched for ${query}`, ...(answer.notes ?? [])];
    return { answer: { ...answer, notes }, query };
  };
  const foundBy = async (request: ModeRequest): Promise<Found> => {
    try {
      const answer = await searchByMode(backend, request);
      err(...skippedFacets(answer));
      const { suggested_query: query, total } = answer;
      return (await fixed(request, query, plural(total, 'hit'))) ?? { answer };
    } catch (error) {
      const found = await fixed(request, meantBy(error, request), 'no result');
      if (found !== undefined) return found;
      const query = error instanceof LhsError && error.place && queryOf(search);
      if (!query) throw error;
      throw await (await import('./named-key.ts')).withKey(error, backend, index, query);
    }
  };
  const withKeyNote = async (answer: SearchResponse, query: string | undefined) => {
    if (answer.total > 0 || query === undefined) return answer;
    const note = await (await import('./named-key.ts')).keyRemark(backend, index, query);
    return note === undefined ? answer : { ...answer, notes: [...(answer.notes ?? []), note] };
  };
  const answerOf = async (request: ModeRequest) => {
    const { answer, query } = await foundBy(request);
    const answered = withQuery(search, query);
    return { answer: shape(await withKeyNote(answer, queryOf(answered))), search: answered, query };
  };
  return {
    async lines() {
      const description = await described(backend, index);
      const { fields, key } = description;
      const columns = readsRows ? displayColumns(fields, key.identifier) : [];
      const shown = withRowTexts(search, columns);
      const rowTexts = shown === search ? [] : columns;
      const found = await answerOf(withSuggestions(withMarks(shown)));
      const { answer } = found;
      const page = { index: description, rowTexts, style, columns: width, like };
      if (answer.total > 0) return resultLines(answer, found.search, page);
      if (search.mode !== 'lexical') {
        return nothingNear(answer, search.request, description, style, width);
      }
      const why = remarks(answer, style, width);
      return nothingFound(answer, found.search.request, description, { why });
    },
    async wire() {
      const { answer, query } = await answerOf(withSuggestions(search));
      return query === undefined ? answer : { ...answer, answered_query: query };
    },
    async table() {
      refuseSummaries(search.request, format);
      const { answer } = await answerOf(search);
      const description = await described(backend, index);
      err(...partialRemarks(answer), ...lagLines(answer, search.request, description));
      err(...remarks(answer, style, width));
      return hitTable(answer, search, description);
    },
  };
}

/** A response; `query`: the one that it answers if it is not the query of the request. */
interface Found {
  readonly answer: SearchResponse;
  readonly query?: string;
}

/** The query string of a lexical search. */
const queryOf = (search: ModeRequest): string | undefined =>
  search.mode === 'lexical' ? search.request.query : undefined;

/** The lexical search with another query; without one, the search. */
const withQuery = (search: ModeRequest, query: string | undefined): ModeRequest =>
  query === undefined || search.mode !== 'lexical'
    ? search
    : { mode: search.mode, request: { ...search.request, query } };

/** The query that was probably meant, of an error about the query. */
const meantBy = (error: unknown, { request }: ModeRequest): unknown =>
  error instanceof LhsError && 'query' in request && error.place?.text === request.query
    ? error.details.suggested_query
    : undefined;

/** Throws invalid_argument for facets or aggregations in a format that has rows of hits only. */
function refuseSummaries({ facets, aggs }: SearchRequest, format: OutputFormat): void {
  const what = facets !== undefined ? 'facets' : 'aggregations';
  if (facets === undefined && aggs === undefined) return;
  const command = facets !== undefined ? 'facets' : 'aggregate';
  const message = `--format ${format} writes hits and cannot include ${what}`;
  throw new LhsError('invalid_argument', message, {
    hint: `lhs index ${command} writes ${what} as rows; --format json has both`,
  });
}

/**
 * The response as flags shape it: `--limit 0` leaves its hits out. Sets exit code 6 for a partial
 * one if `--fail-on-partial` is given.
 */
export function shapedAnswer(answer: SearchResponse, flags: SearchFlags): SearchResponse {
  if (answer.partial && flags['fail-on-partial']) process.exitCode = PARTIAL_EXIT;
  return flags.limit === 0 ? { ...answer, hits: [] } : answer;
}

/** The response of a backend to a search. */
export function searchByMode(backend: BackendApi, search: ModeRequest): Promise<SearchResponse> {
  switch (search.mode) {
    case 'lexical':
      return backend.search(search.request);
    case 'semantic':
      return backend.semantic(search.request);
    case 'hybrid':
      return backend.hybrid(search.request);
  }
}

/** The search with `suggest`: its response says what the query may have meant. */
const withSuggestions = (search: ModeRequest): ModeRequest =>
  search.mode === 'lexical'
    ? { mode: search.mode, request: { ...search.request, suggest: true } }
    : search;

/** The same search with what matched, unless so many rows would be read for it. */
function withMarks(search: ModeRequest): ModeRequest {
  const { limit = 0 } = search.request;
  const highlight = { max_fragments: 1, ...(limit <= MAX_ROWS && { matched: true }) };
  switch (search.mode) {
    case 'lexical':
      return { mode: search.mode, request: { ...search.request, highlight } };
    case 'semantic':
      return { mode: search.mode, request: { ...search.request, highlight } };
    case 'hybrid':
      return { mode: search.mode, request: { ...search.request, highlight } };
  }
}

/** The lexical request of flags. Throws invalid_argument for values that cannot be read. */
export async function searchRequest(
  index: string,
  query: string | undefined,
  flags: SearchFlags,
): Promise<SearchRequest> {
  return { index, query: query ?? '*:*', ...(await requestPart(flags, searchFlags)) };
}

/** A row is short: one occurrence of a word counts, and so does a word of one other row. */
const ROW_WORDS = { min_term_freq: 1, min_doc_freq: 2 };

/** The search for rows like one. Throws invalid_argument. */
async function likeRequest(
  backend: BackendApi,
  mode: SearchMode,
  { index, text, like }: { readonly index: string; readonly text?: string; readonly like: string },
  flags: SearchFlags,
): Promise<ModeRequest> {
  if (text !== undefined) {
    const message = `"${text}" and --like cannot be combined`;
    throw new LhsError('invalid_argument', message, { hint: 'restrict the hits with --filter' });
  }
  if (mode !== 'lexical') {
    throw new LhsError('invalid_argument', '--like goes with --mode lexical');
  }
  const { keysOfTexts } = await import('./meant-keys.ts');
  const keys = await keysOfTexts([like], await described(backend, index), backend);
  const ast = { more_like_this: { keys, ...ROW_WORDS } };
  return { mode, request: { index, ast, ...(await requestPart(flags, searchFlags)) } };
}

/** The documents that facets and aggregations are made of; why there are none, if so. */
export async function matchRequest(
  args: { readonly index: string; readonly query?: string },
  flags: SearchFlags,
): Promise<MatchRequest> {
  const { index, query = '*:*' } = args;
  return { index, query, suggest: true, ...(await requestPart(flags, matchFlags)) };
}

/**
 * The request of a mode. `text`: the query, or the text of the other modes. Throws invalid_argument
 * for flags of another mode, and for values that cannot be read.
 */
export async function modeRequest(
  mode: SearchMode,
  index: string,
  text: string | undefined,
  flags: SearchFlags,
): Promise<ModeRequest> {
  refuseForeign(mode, flags);
  if (mode === 'lexical') return { mode, request: await searchRequest(index, text, flags) };
  requireText(mode, text, flags);
  const query = text === undefined ? {} : { query_text: text };
  return { mode, request: { index, ...query, ...(await requestPart(flags)) } };
}

function requireText(mode: SearchMode, text: string | undefined, { vector }: SearchFlags): void {
  if (text !== undefined || (mode === 'semantic' && vector !== undefined)) return;
  const message =
    mode === 'semantic'
      ? 'a semantic search needs a text, or a vector (--vector)'
      : 'a hybrid search needs a text, whose words are one arm';
  const hint = vector === undefined ? undefined : 'a vector alone goes with --mode semantic';
  throw new LhsError('invalid_argument', message, { hint });
}

/**
 * A text has no syntax and no operators: those flags are of the filter. Throws invalid_argument.
 */
export function refuseIdle(mode: SearchMode, flags: SearchFlags): void {
  if (mode === 'lexical' || flags.filter !== undefined) return;
  for (const name of ['syntax', 'operator'] as const) {
    if (flags[name] === undefined) continue;
    throw new LhsError('invalid_argument', `--${name} applies to --filter, which is missing`, {
      hint: `a text in ${mode} mode has no operators`,
    });
  }
}
