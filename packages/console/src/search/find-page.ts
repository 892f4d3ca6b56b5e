import type {
  Facet,
  IndexDescription,
  ModeRequest,
  SearchRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import { ranQuery } from '@lakehouse-search/contract/internal';
import type { SearchPlace } from '../place/place.ts';
import type { ConsoleService } from '../service/console-service.ts';
import { ServiceError } from '../service/service-error.ts';
import { filterText } from '../text/filter.ts';

/** A page of hits, and the search that found it. */
export interface FoundPage {
  readonly answer: SearchResponse;
  /** With the query that ran: its last word is a prefix, its clauses are joined. */
  readonly wanted: ModeRequest;
}

/**
 * The hits of a search. The query runs as `lhs tui` runs it; if the service refuses that, it runs
 * as it was typed. A field with chosen values is counted without them. Throws ServiceError.
 */
export async function findPage(
  service: ConsoleService,
  typed: ModeRequest,
  { filters }: SearchPlace,
  { fields }: IndexDescription,
  signal: AbortSignal,
): Promise<FoundPage> {
  const counted = typed.request.facets?.fields ?? [];
  const chosen = counted.filter((name) =>
    filters.some(({ kind, field }) => kind === 'is' && field === name),
  );
  const find = async (wanted: ModeRequest): Promise<FoundPage> => {
    const countsOf = async (name: string) => {
      const others = filterText(
        filters.filter(({ kind, field }) => kind !== 'is' || field !== name),
      );
      const counts = { ...COUNTS_ALONE, filter: others || undefined, facets: { fields: [name] } };
      return (await runSearch(service, withParts(wanted, counts), signal)).facets ?? [];
    };
    const [answer, ...own] = await Promise.all([
      runSearch(service, wanted, signal),
      ...chosen.map(countsOf),
    ]);
    const advice = answer.total === 0 ? await adviceOn(service, typed, signal) : {};
    return { answer: { ...withFacets(answer, own.flat()), ...advice }, wanted };
  };
  const ran = typed.mode === 'lexical' ? withRanQuery(typed, fields) : typed;
  if (ran === typed) return find(typed);
  try {
    return await find(ran);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    return find(typed);
  }
}

/** Suggestions for a query that finds nothing, and the hits of each of its clauses. */
async function adviceOn(
  service: ConsoleService,
  { mode, request }: ModeRequest,
  signal: AbortSignal,
): Promise<Partial<SearchResponse>> {
  if (mode !== 'lexical') return {};
  const { clauses, suggested_query, suggested_total, notes } = await service.call(
    'search',
    { ...request, ...COUNTS_ALONE, facets: undefined, suggest: true },
    signal,
  );
  return { clauses, suggested_query, suggested_total, notes };
}

/** The parts of a search of which only the counts are read. */
export const COUNTS_ALONE: Partial<SearchRequest> = {
  ...{ limit: 1, offset: undefined, search_after: undefined, highlight: undefined },
  ...{ hydrate: undefined, hydrate_columns: undefined },
};

function withRanQuery(
  typed: Extract<ModeRequest, { readonly mode: 'lexical' }>,
  fields: IndexDescription['fields'],
): ModeRequest {
  const { query = '', syntax } = typed.request;
  const ran = ranQuery(query, fields, syntax === undefined ? {} : { syntax });
  return ran === query ? typed : withParts(typed, { query: ran });
}

/** A search with other parts. */
export function withParts(search: ModeRequest, parts: Partial<SearchRequest>): ModeRequest {
  return { ...search, request: { ...search.request, ...parts } } as ModeRequest;
}

const withFacets = (answer: SearchResponse, own: readonly Facet[]): SearchResponse =>
  own.length === 0
    ? answer
    : {
        ...answer,
        facets: (answer.facets ?? []).map(
          (facet) => own.find(({ field }) => field === facet.field) ?? facet,
        ),
      };

/** The answer of a search in its mode. Throws ServiceError. */
export function runSearch(
  service: ConsoleService,
  wanted: ModeRequest,
  signal: AbortSignal,
): Promise<SearchResponse> {
  switch (wanted.mode) {
    case 'lexical':
      return service.call('search', wanted.request, signal);
    case 'semantic':
      return service.call('semantic', wanted.request, signal);
    case 'hybrid':
      return service.call('hybrid', wanted.request, signal);
  }
}
