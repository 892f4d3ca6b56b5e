import {
  type ClauseCount,
  LhsError,
  type SearchRequest,
  type SearchResponse,
} from '@lakehouse-search/contract';
import { meantNote } from '../../query/bind/correction.ts';
import type { Query } from '../../query/query.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import { FanOut } from '../fan-out.ts';
import { asWritten } from './as-written.ts';
import { type CountedClause, countClauses, isDoubtful, wordsOfOr } from './clause-counts.ts';
import { datedQuery } from './dates/dated-query.ts';
import { plainText } from './like-pattern.ts';
import { listedNumbers } from './listed-numbers.ts';
import { matchTotal, totalWith, withTotal } from './meant-queries.ts';
import { FEW, mayBeCode } from './more-in-values.ts';
import { doubleQuoted, pastedValue } from './pasted-text.ts';
import { matchOf, type ReadRequest } from './read-request.ts';
import { withAnd } from './side-by-side.ts';

/** What a search without hits may have meant: its clauses, a query that has hits, remarks. */
interface Suggestions
  extends Pick<SearchResponse, 'clauses' | 'suggested_query' | 'suggested_total'> {
  readonly notes: readonly string[];
}

/** The suggestions for a search without hits. */
export async function suggestions(read: ReadRequest): Promise<Suggestions> {
  const { context } = read;
  const { request } = read.checked;
  const pasted = await asPasted(context, request, Number.POSITIVE_INFINITY, false);
  if (pasted !== undefined) return pasted;
  const listed = await listedNumbers(context, request);
  if (listed !== undefined)
    return meantAs('the numbers may be values of several fields', listed.query, listed.total);
  const counted = await countClauses(read);
  const found = {
    clauses: counted.map(({ count }) => count),
    notes: counted.flatMap(({ note }) => note ?? []),
  };
  const suggested_query = corrected(request.query, counted);
  if (suggested_query === undefined) return found;
  const total = await matchTotal(context, { ...matchOf(request), query: suggested_query });
  return total === 0 ? found : { ...found, suggested_query, suggested_total: total };
}

/** Notes on the clauses of a search with hits that may find other rows than was meant. */
export async function doubts(read: ReadRequest, total: number): Promise<Suggestions> {
  const { context } = read;
  const { request } = read.checked;
  const pasted = await asPasted(context, request, total, true);
  if (pasted !== undefined) return pasted;
  const fields = queryFields(context.mapping);
  const words = wordsOfOr(read.tree);
  const isCounted = (node: Query) =>
    isDoubtful(node, fields) ||
    words.has(node.span?.from) ||
    (total <= FEW && mayBeCode(node, fields));
  try {
    const counted = await countClauses(read, new FanOut(context.shards), isCounted);
    const notes = counted.flatMap(({ note, count }) => note ?? notFound(count) ?? []);
    const written = await asWritten(read, total);
    const { notes: more, ...meant } =
      (await eitherClause(read, total)) ?? (await withValues(context, request, total, counted));
    return { ...meant, notes: [...notes, ...written, ...more] };
  } catch (error) {
    // the search has its hits: a note that fails must not lose them
    if (error instanceof LhsError) return { notes: [] };
    throw error;
  }
}

/** What a pasted date or value finds; `most`: the rows that the query finds as it is read. */
async function asPasted(
  context: SearchContext,
  request: SearchRequest,
  most: number,
  isBare: boolean,
): Promise<Suggestions | undefined> {
  const dated = await datedQuery(context, request, 'query', isBare);
  if (dated !== undefined && dated.total < most)
    return meantAs(dated.why, dated.query, dated.total);
  const { query: text = '' } = request;
  const [single, signs] = [doubleQuoted(text), pastedValue(text)];
  const value = single ?? signs;
  const total = value && (await totalWith(context, request, 'query', value));
  if (!value || !total || total === most) return undefined;
  const why = single ? 'phrases need double quotes' : `signs of "${text}" are read as query syntax`;
  return meantAs(why, value, total);
}

/** What a query of clauses side by side finds with AND, if it finds more without. */
async function eitherClause(read: ReadRequest, total: number): Promise<Suggestions | undefined> {
  const { context, checked } = read;
  const { request } = checked;
  const query = withAnd(read);
  const all = query === undefined ? 0 : await totalWith(context, request, 'query', query);
  if (query === undefined || all === undefined || all === 0 || all >= total) return undefined;
  const why = `one clause of "${request.query}" is enough`;
  return meantAs(why, query, all);
}

/** What a query finds with periods for dates and values for their words, if it finds more. */
async function withValues(
  context: SearchContext,
  request: SearchRequest,
  total: number,
  counted: readonly CountedClause[],
): Promise<Suggestions> {
  const found = counted.filter(({ count, span }) => span && count.total > 0);
  const query = corrected(request.query, found);
  const all = query === undefined ? 0 : await totalWith(context, request, 'query', query);
  if (query === undefined || all === undefined || all <= total) return { notes: [] };
  const words = found.flatMap(({ count: { clause, elsewhere } }) => {
    const values = elsewhere?.map((one) => `${one.clause} has ${one.total}`);
    return values === undefined ? [] : [`values have ${clause}, too (${values.join(', ')})`];
  });
  const meant = meantAs(words.join(', '), query, all);
  return words.length === 0 ? { ...meant, notes: [] } : meant;
}

const meantAs = (why: string, query: string, total: number): Suggestions => ({
  notes: [withTotal(meantNote({ why, query }), total)],
  suggested_query: query,
  suggested_total: total,
});

/** What a word that no hit has may have meant. */
function notFound({ clause, total, elsewhere, ...near }: ClauseCount): string | undefined {
  const [first] = elsewhere ?? [];
  const meant = first?.clause ?? near.suggestion;
  if (total > 0 || meant === undefined) return undefined;
  return `${clause} finds nothing: ${meant} has ${first?.total ?? near.suggestion_total}`;
}

/**
 * The same text in another spelling, else the word in another field, else the nearest word; of a
 * word with hits, it and the values that have it in them.
 */
function meantBy({ clause, total, suggestion, elsewhere }: ClauseCount): string | undefined {
  if (total > 0 && elsewhere !== undefined)
    return `(${[clause, ...elsewhere.map((one) => one.clause)].join(' OR ')})`;
  const isAlike = suggestion !== undefined && bareText(suggestion) === bareText(clause);
  return isAlike ? suggestion : (elsewhere?.[0]?.clause ?? suggestion);
}

/** The text of a clause, be it a whole value or a word in one. */
const bareText = (clause: string): string =>
  plainText(clause.replace(/:\*(.*)\*$/s, ':$1').replace(/["\\]/g, ''));

/** The query with what was meant in the place of its clauses without hits. */
function corrected(
  query: string | undefined,
  counted: readonly CountedClause[],
): string | undefined {
  if (query === undefined) return undefined;
  let text = query;
  for (const { count, span } of counted.toReversed()) {
    const clause = meantBy(count);
    if (clause === undefined || span === undefined) continue;
    text = text.slice(0, span.from) + clause + text.slice(span.to);
  }
  return text === query ? undefined : text;
}
