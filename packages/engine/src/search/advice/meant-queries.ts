/** Totals of the queries that a query string was probably meant as, in notes. */
import { LhsError, type SearchRequest, type SearchResponse } from '@lakehouse-search/contract';
import { checkSearchRequest, withCommas } from '@lakehouse-search/contract/internal';
import { meantNote } from '../../query/bind/correction.ts';
import { correctionOf } from '../../query/bind/remarks.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import { searchIndex } from '../search.ts';
import { matchOf, type ReadRequest } from './read-request.ts';

/** Notes, and the query that was probably meant if it finds rows. */
export interface CountedNotes extends Pick<SearchResponse, 'suggested_query' | 'suggested_total'> {
  readonly notes: readonly string[];
}

/** The parts of a request that are query strings. */
export const TEXTS = ['query', 'filter'] as const;

/** The notes, with the totals of the queries in them. */
export async function countedNotes(
  read: ReadRequest,
  notes: readonly string[],
): Promise<CountedNotes> {
  let out: CountedNotes = { notes };
  for (const part of TEXTS) {
    const meant = meantBy(read, part, true);
    const counted = meant === undefined ? [] : await countedQueries(read, part, meant.query);
    const best = counted.at(-1);
    if (meant === undefined || best === undefined) continue;
    const note = meantNote(meant);
    const query = counted.map((one) => withTotal(one.query, one.total)).join(' or ');
    const said = out.notes.map((one) => (one === note ? meantNote({ ...meant, query }) : one));
    const suggested = { suggested_query: best.query, suggested_total: best.total };
    out = { ...out, notes: said, ...(part === 'query' && best.total > 0 && suggested) };
  }
  return out;
}

/** A query with its total, and, if it finds nothing, the one without conditions of no field. */
async function countedQueries(read: ReadRequest, part: 'query' | 'filter', meant: string) {
  const { context, checked } = read;
  const total = await totalWith(context, checked.request, part, meant);
  if (total === undefined) return [];
  const rest = total > 0 ? undefined : meantBy(read, part, false)?.query;
  const found = rest && (await totalWith(context, checked.request, part, rest));
  return [{ query: meant, total }, ...(rest && found ? [{ query: rest, total: found }] : [])];
}

function meantBy(read: ReadRequest, part: 'query' | 'filter', isNear: boolean) {
  const text = read.checked.request[part];
  const tree = part === 'query' ? read.tree : read.filterTree;
  if (typeof text !== 'string' || tree === null) return undefined;
  return correctionOf(tree, { text, fields: queryFields(read.context.mapping) }, isNear);
}

/** Rows that a request finds. Throws as `searchIndex`. */
export const matchTotal = async (context: SearchContext, request: SearchRequest): Promise<number> =>
  (await searchIndex(context, { ...checkSearchRequest({ ...request, fields: [] }), limit: 0 }))
    .total;

/** Rows that the request finds with another query or filter; undefined: it fails. */
export async function totalWith(
  context: SearchContext,
  request: SearchRequest,
  part: 'query' | 'filter',
  text: string,
): Promise<number | undefined> {
  try {
    return await matchTotal(context, { ...matchOf(request), [part]: text });
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

/** A sentence that ends with a total. */
export const withTotal = (sentence: string, total: number): string =>
  `${sentence} (${withCommas(total)} ${total === 1 ? 'hit' : 'hits'})`;
