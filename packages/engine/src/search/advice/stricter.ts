/** Queries with fewer hits that one of several words or clauses was probably meant as. */
import { LhsError, type SearchRequest } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import { correctionOf } from '../../query/bind/remarks.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import { type Counted, totalWith } from './meant-queries.ts';
import { matchOf, type ReadRequest, readRequest } from './read-request.ts';
import { withAnd } from './side-by-side.ts';

/** Words of a phrase behind the name of a field, in the order in which they are tried. */
const PHRASE_WORDS = [Number.POSITIVE_INFINITY, 3, 2];

/** A query with AND between its clauses of several fields; undefined: that finds nothing. */
export const inAllClauses = (read: ReadRequest): Promise<Counted | undefined> =>
  counted(read.context, read.checked.request, withAnd(read));

/** The query with AND between its clauses, words among them; undefined: no row has all. */
export async function inEveryClause(
  context: SearchContext,
  request: SearchRequest,
  text: string,
): Promise<Counted | undefined> {
  const read = readAs(context, request, text);
  return read && counted(context, request, withAnd(read, 0));
}

/** The query with a phrase for each value and the words behind it; undefined: no row has them. */
export async function withValuePhrases(
  context: SearchContext,
  request: SearchRequest,
  text: string,
): Promise<Counted | undefined> {
  const fields = queryFields(context.mapping);
  const tree = readAs(context, request, text)?.tree;
  const queries = PHRASE_WORDS.flatMap((phraseWords) => {
    return (tree && correctionOf(tree, { text, fields }, { phraseWords })?.query) ?? [];
  });
  for (const query of new Set(queries)) {
    const found = await counted(context, request, query);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The query with phrases of values, then with AND, if these find rows. */
export async function stricter(
  context: SearchContext,
  request: SearchRequest,
  text: string,
  meant = text,
): Promise<Counted | undefined> {
  const phrases = await withValuePhrases(context, request, text);
  const read = readAs(context, request, phrases?.query ?? meant);
  return (read && (await inAllClauses(read))) ?? phrases;
}

async function counted(
  context: SearchContext,
  request: SearchRequest,
  query: string | undefined,
): Promise<Counted | undefined> {
  const total = query === undefined ? 0 : await totalWith(context, request, 'query', query);
  return query && total ? { query, total } : undefined;
}

/** The request with another query string; undefined: it cannot be parsed. */
function readAs(
  context: SearchContext,
  request: SearchRequest,
  query: string,
): ReadRequest | undefined {
  try {
    return readRequest(context, checkSearchRequest({ ...matchOf(request), query }));
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}
