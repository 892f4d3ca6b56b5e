import { type Coordinates, LhsError, type RehearsedQuery } from '@lakehouse-search/contract';
import {
  type CheckedRehearsed,
  type CheckedRequest,
  JUDGED_HITS,
  ndcg,
} from '@lakehouse-search/contract/internal';
import type { SearchContext } from '../search/context.ts';
import { searchHybrid, searchSemantic } from '../search/hybrid/search-meaning.ts';
import { searchIndex } from '../search/search.ts';
import { filterParts } from '../shard/request/bind-request.ts';
import { compareHits } from './compare-hits.ts';

/** Searches that were run over both definitions, and their times in microseconds. */
export interface Replay {
  readonly queries: readonly RehearsedQuery[];
  readonly times: { readonly from: readonly number[]; readonly to: readonly number[] };
}

/**
 * Runs every search over both contexts and compares the first ten hits. One that fails under the
 * new definition has its `error`. Throws what a search throws under the definition in force.
 */
export async function replay(
  queries: readonly CheckedRehearsed[],
  contexts: { readonly from: () => SearchContext; readonly to: () => SearchContext },
): Promise<Replay> {
  const times = { from: [] as number[], to: [] as number[] };
  const compared: RehearsedQuery[] = [];
  for (const query of queries) {
    const before = await timed(times.from, () => firstHits(contexts.from(), query));
    const after = await timed(times.to, () => firstHits(contexts.to(), query)).catch(refusal);
    compared.push(compare(query, before, after));
  }
  return { queries: compared, times };
}

function compare(
  { mode, checked, judgments }: CheckedRehearsed,
  before: readonly Coordinates[],
  after: readonly Coordinates[] | LhsError,
): RehearsedQuery {
  const found = after instanceof LhsError ? [] : after;
  const query = mode === 'lexical' ? queryText(checked) : (checked.nearest.query_text ?? '');
  return {
    mode,
    query,
    ...compareHits(before, found),
    ...(judgments.length === 0
      ? {}
      : { ndcg: { from: ndcg(before, judgments), to: ndcg(found, judgments) } }),
    ...(after instanceof LhsError ? { overlap: 0, error: after.message } : {}),
  };
}

const queryText = ({ request }: CheckedRequest): string =>
  request.query ?? (request.ast === undefined ? '' : JSON.stringify(request.ast));

async function firstHits(context: SearchContext, { mode, checked }: CheckedRehearsed) {
  const { hits } = await (mode === 'lexical'
    ? searchIndex(context, bare(checked))
    : mode === 'semantic'
      ? searchSemantic(context, { ...checked, search: bare(checked.search) })
      : searchHybrid(context, { ...checked, search: bare(checked.search) }));
  return hits.map(({ coordinates }) => coordinates);
}

/** A search for its first ten keys: without fields, rows, facets and aggregations. */
function bare({ request }: CheckedRequest): CheckedRequest {
  const { query, ast, sort, collapse } = request;
  const asked = { query, ast, ...filterParts(request), sort, collapse, fields: [] };
  return { request: asked, limit: JUDGED_HITS, offset: 0, highlight: null };
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  times.push(1000 * (performance.now() - started));
  return result;
}

function refusal(error: unknown): LhsError {
  if (error instanceof LhsError && error.code !== 'interrupted') return error;
  throw error;
}
