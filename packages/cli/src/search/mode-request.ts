import {
  type Backend,
  type HybridRequest,
  LhsError,
  type MatchRequest,
  type SearchMode,
  type SearchRequest,
  type SearchResponse,
  type SemanticRequest,
} from '@lakehouse-search/contract';
import {
  fusionFlags,
  matchFlags,
  nearestFlags,
  requestPart,
  type SearchFlags,
  searchFlags,
} from './search-flags.ts';

/** A search of one of the modes, as it goes to a backend. */
export type ModeRequest =
  | { readonly mode: 'lexical'; readonly request: SearchRequest }
  | { readonly mode: 'semantic'; readonly request: SemanticRequest }
  | { readonly mode: 'hybrid'; readonly request: HybridRequest };

/** Sends it to a backend. */
export function searchByMode(backend: Backend, search: ModeRequest): Promise<SearchResponse> {
  switch (search.mode) {
    case 'lexical':
      return backend.search(search.request);
    case 'semantic':
      return backend.semantic(search.request);
    case 'hybrid':
      return backend.hybrid(search.request);
  }
}

/** The same search with highlights. */
export function withMarks(search: ModeRequest): ModeRequest {
  const highlight = { max_fragments: 1 };
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

/** The documents that facets and aggregations are made of. */
export async function matchRequest(
  args: { readonly index: string; readonly query?: string },
  flags: SearchFlags,
): Promise<MatchRequest> {
  const { index, query = '*:*' } = args;
  return { index, query, ...(await requestPart(flags, matchFlags)) };
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
    throw new LhsError('invalid_argument', `--${name} is that of --filter, and there is none`, {
      hint: `in the mode ${mode} nothing in a text is an operator`,
    });
  }
}

/** Throws invalid_argument for a flag of another mode. */
function refuseForeign(mode: SearchMode, flags: SearchFlags): void {
  const foreign =
    mode === 'hybrid'
      ? []
      : Object.keys(mode === 'semantic' ? fusionFlags : { ...nearestFlags, ...fusionFlags });
  for (const name of foreign) {
    if (flags[name as keyof SearchFlags] === undefined) continue;
    const modes = name in fusionFlags ? '--mode hybrid' : '--mode semantic or hybrid';
    throw new LhsError('invalid_argument', `--${name} goes with ${modes}`);
  }
}
