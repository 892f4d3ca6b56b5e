/** The notes of a query string with the totals of the queries that it was probably meant as. */
import { LhsError, type SearchResponse } from '@lakehouse-search/contract';
import { meantNote } from '../../query/bind/correction.ts';
import { correctionOf, type HowMeant } from '../../query/bind/remarks.ts';
import { conditionsIn } from '../../query/bind/written-conditions.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import { type Counted, countedOrError, TEXTS, totalWith, withTotal } from './meant-queries.ts';
import type { ReadRequest } from './read-request.ts';
import { stricter } from './stricter.ts';
import { suggestionFor } from './suggested-query.ts';

/** Notes, and the query that was probably meant if it finds rows or is all that the text can mean. */
export interface CountedNotes extends Pick<SearchResponse, 'suggested_query' | 'suggested_total'> {
  readonly notes: readonly string[];
  /** Those of the notes whose query finds nothing. */
  readonly without?: readonly string[];
}

/** The notes, with the totals of the queries in them. */
export async function countedNotes(
  read: ReadRequest,
  notes: readonly string[],
): Promise<CountedNotes> {
  let out: CountedNotes = { notes };
  for (const part of TEXTS) {
    const meant = meantBy(read, part);
    if (meant === undefined) continue;
    const note = meantNote(meant);
    const counted = await countedQueries(read, part, meant.query);
    if (counted instanceof LhsError) {
      const { message, hint } = counted;
      const fails = [`${meant.why}; ${meant.query} fails: ${message}`, hint ?? []]
        .flat()
        .join('; ');
      out = { ...out, notes: out.notes.map((one) => (one === note ? fails : one)) };
      continue;
    }
    const last = counted[counted.length - 1];
    const isRead = part === 'query' && hasConditions(read);
    const near =
      isRead && last.total === 0
        ? await suggestionFor(read.context, read.checked.request, last.query)
        : undefined;
    const best = near ?? counted.find((one) => one.total > 0) ?? last;
    const queries = near === undefined ? counted : [near];
    const query = queries.map((one) => withTotal(one.query, one.total)).join(' or ');
    const isNone = best.total === 0 && !isRead;
    const now = isNone ? `${meant.why}; no row has ${best.query}` : meantNote({ ...meant, query });
    const said = out.notes.map((one) => (one === note ? now : one));
    const suggested = { suggested_query: best.query, suggested_total: best.total };
    const without = said.filter((one, i) => best.total === 0 && one !== out.notes[i]);
    out = {
      ...out,
      notes: said,
      without,
      ...(part === 'query' && (isRead || best.total > 0) && suggested),
    };
  }
  return out;
}

/** Whether the query has conditions such as `service = 'billing'`, whose words mean nothing alone. */
export function hasConditions({ checked, context }: ReadRequest): boolean {
  const conditions = conditionsIn(checked.request.query ?? '', queryFields(context.mapping));
  return conditions.some(({ field }) => field !== undefined);
}

/** A query after one with fewer hits, else before one without conditions of no field; else its error. */
async function countedQueries(
  read: ReadRequest,
  part: 'query' | 'filter',
  meant: string,
): Promise<readonly Counted[] | LhsError> {
  const { context, checked } = read;
  const { request } = checked;
  const own = await countedOrError(context, request, part, meant);
  if (own instanceof LhsError || own.query !== meant) return own instanceof LhsError ? own : [own];
  const { total } = own;
  const { query: text = '' } = request;
  const first = part === 'query' ? await stricter(context, request, text, meant) : undefined;
  if (first !== undefined && first.query !== meant) return [first, { query: meant, total }];
  const rest = total > 0 ? undefined : meantBy(read, part, { isNear: false })?.query;
  const found = rest && (await totalWith(context, request, part, rest));
  return [{ query: meant, total }, ...(rest && found ? [{ query: rest, total: found }] : [])];
}

function meantBy(read: ReadRequest, part: 'query' | 'filter', how?: HowMeant) {
  const text = read.checked.request[part];
  const tree = part === 'query' ? read.tree : read.filterTree;
  if (typeof text !== 'string' || tree === null) return undefined;
  return correctionOf(tree, { text, fields: queryFields(read.context.mapping) }, how);
}
