/** Totals of the queries that a query string was probably meant as, in notes. */
import { LhsError, type SearchRequest, type SearchResponse } from '@lakehouse-search/contract';
import { type CheckedRequest, checkSearchRequest } from '@lakehouse-search/contract/internal';
import { meantNote } from '../../query/bind/correction.ts';
import { correctionOf } from '../../query/bind/remarks.ts';
import { readFilter, readQuery } from '../../shard/request/bind-request.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import { searchIndex } from '../search.ts';
import { matchOf } from './match-parts.ts';

/** Notes, and the query that was probably meant if it finds rows. */
export interface CountedNotes extends Pick<SearchResponse, 'suggested_query' | 'suggested_total'> {
  readonly notes: readonly string[];
}

/** The parts of a request that are query strings. */
export const TEXTS = ['query', 'filter'] as const;

/** The notes, with the totals of the queries in them. */
export async function countedNotes(
  context: SearchContext,
  { request }: CheckedRequest,
  notes: readonly string[],
): Promise<CountedNotes> {
  let out: CountedNotes = { notes };
  for (const part of TEXTS) {
    const meant = meantBy(context, request, part);
    const total = meant && (await totalWith(context, request, part, meant.query));
    if (meant === undefined || total === undefined) continue;
    const note = meantNote(meant);
    const counted = out.notes.map((one) => (one === note ? withTotal(note, total) : one));
    const suggested = { suggested_query: meant.query, suggested_total: total };
    const isRight = part === 'query' && total > 0;
    out = { ...out, notes: counted, ...(isRight && suggested) };
  }
  return out;
}

function meantBy({ mapping }: SearchContext, request: SearchRequest, part: 'query' | 'filter') {
  const text = request[part];
  if (typeof text !== 'string') return undefined;
  const tree = part === 'query' ? readQuery(request, mapping) : readFilter(request, mapping);
  return tree === null ? undefined : correctionOf(tree, { text, fields: queryFields(mapping) });
}

/** Rows that the request finds with another query or filter; undefined: it fails. */
export async function totalWith(
  context: SearchContext,
  request: SearchRequest,
  part: 'query' | 'filter',
  text: string,
): Promise<number | undefined> {
  try {
    const match = checkSearchRequest({ ...matchOf(request), [part]: text, limit: 1, fields: [] });
    return (await searchIndex(context, match)).total;
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

/** A sentence that ends with a total. */
export const withTotal = (sentence: string, total: number): string =>
  `${sentence} (${total.toLocaleString('en-US')} ${total === 1 ? 'hit' : 'hits'})`;
