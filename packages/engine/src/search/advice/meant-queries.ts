/** Totals of the queries that a query string was probably meant as. */
import { LhsError, type SearchRequest } from '@lakehouse-search/contract';
import { checkSearchRequest, withCommas } from '@lakehouse-search/contract/internal';
import type { SearchContext } from '../context.ts';
import { searchIndex } from '../search.ts';
import { matchOf } from './read-request.ts';

/** A query, and how many rows it finds. */
export interface Counted {
  readonly query: string;
  readonly total: number;
}

/** A query, and why another one was probably meant as it. */
export interface Reasoned extends Counted {
  readonly why: string;
}

/** The parts of a request that are query strings. */
export const TEXTS = ['query', 'filter'] as const;

/** Rows that a request finds. Throws as `searchIndex`. */
export const matchTotal = async (context: SearchContext, request: SearchRequest): Promise<number> =>
  (await searchIndex(context, { ...checkSearchRequest({ ...request, fields: [] }), limit: 0 }))
    .total;

/** Rows that the request finds with another query or filter; undefined: it fails. */
export const totalWith = (
  context: SearchContext,
  request: SearchRequest,
  part: 'query' | 'filter',
  text: string,
): Promise<number | undefined> => totalIfValid(context, { ...matchOf(request), [part]: text });

/** Rows that a request finds; undefined: it fails. */
export async function totalIfValid(
  context: SearchContext,
  request: SearchRequest,
): Promise<number | undefined> {
  const found = await totalOrError(context, request);
  return typeof found === 'number' ? found : undefined;
}

async function totalOrError(
  context: SearchContext,
  request: SearchRequest,
): Promise<number | LhsError> {
  try {
    return await matchTotal(context, request);
  } catch (error) {
    if (error instanceof LhsError) return error;
    throw error;
  }
}

/** What a query finds, or the one that its error suggests; its error if neither can run. */
export async function countedOrError(
  context: SearchContext,
  request: SearchRequest,
  part: 'query' | 'filter',
  text: string,
): Promise<Counted | LhsError> {
  const found = await totalOrError(context, { ...matchOf(request), [part]: text });
  if (typeof found === 'number') return { query: text, total: found };
  const { suggested_query: query } = found.details;
  const total =
    typeof query === 'string' ? await totalWith(context, request, part, query) : undefined;
  return typeof query !== 'string' || total === undefined ? found : { query, total };
}

/** A sentence that ends with a total. */
export const withTotal = (sentence: string, total: number): string =>
  `${sentence} (${withCommas(total)} ${total === 1 ? 'hit' : 'hits'})`;
