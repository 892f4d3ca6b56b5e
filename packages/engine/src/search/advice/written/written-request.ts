/** The request that a text in SQL or in words is: an order, facets or aggregations of some rows. */
import {
  type AggSpec,
  type AggSpecs,
  LhsError,
  type SearchRequest,
  type SearchResponse,
  type SortSpec,
} from '@lakehouse-search/contract';
import {
  checkAggregateRequest,
  checkFacetsRequest,
  checkSearchRequest,
} from '@lakehouse-search/contract/internal';
import { fastField, fieldNamed, type QueryFields } from '../../../query/bind/fields.ts';
import { asClauses } from '../../../query/bind/unknown-condition.ts';
import { queryFields } from '../../../shard/request/query-fields.ts';
import type { SearchContext } from '../../context.ts';
import { searchIndex } from '../../search.ts';
import { aggregateIndex, facetIndex } from '../../summarize.ts';
import { type Counted, countedOrError, withTotal } from '../meant-queries.ts';
import { matchOf } from '../read-request.ts';
import { type Figure, figureOf, listOf, type RequestParts, requestParts } from './request-parts.ts';

/** What the request does with the rows. */
interface Asked {
  readonly of: 'search' | 'facets' | 'aggregate';
  readonly request: Pick<SearchRequest, 'sort' | 'limit' | 'aggs'> & {
    readonly fields?: readonly string[];
    readonly size?: number;
  };
}

/** What a text is instead of a query: the query of its conditions, or another request. */
export interface WrittenRequest extends Counted {
  /** `search index "cars" with {…}`; undefined: the query is all of it. */
  readonly how?: string;
}

/** The request that a query is written as, if it finds rows; undefined: it is a query. */
export async function writtenRequest(
  context: SearchContext,
  request: SearchRequest,
): Promise<WrittenRequest | undefined> {
  const { query: text = '' } = request;
  const fields = queryFields(context.mapping);
  const parts = requestParts(text);
  const asked = parts && askedBy(parts, fields);
  if (parts === undefined || asked === undefined) return undefined;
  const written = parts.where ?? (parts.query || '*:*');
  const meant = asClauses(written, fields) ?? written;
  const rows = await countedOrError(context, request, 'query', meant);
  if (rows instanceof LhsError || rows.total === 0) return undefined;
  const isQuery = asked.of === 'search' && Object.keys(asked.request).length === 0;
  if (isQuery) return rows;
  const whole = { ...matchOf(request), query: rows.query, ...asked.request };
  if (!(await runs(context, asked.of, whole))) return undefined;
  return { ...rows, how: `${asked.of} index "${fields.index}" with ${JSON.stringify(whole)}` };
}

/** The remark on a query that is written as a request. */
export const noteOf = (
  { query, total, how }: WrittenRequest,
  text = '',
): Pick<SearchResponse, 'notes' | 'suggested_query' | 'suggested_total'> => {
  const note = `"${text}" is no query: perhaps you mean ${how ?? query}`;
  const suggested = how === undefined && { suggested_query: query, suggested_total: total };
  return { notes: [withTotal(note, total)], ...suggested };
};

/** Whether a request can be answered. */
async function runs(context: SearchContext, of: Asked['of'], request: object): Promise<boolean> {
  try {
    if (of === 'aggregate') await aggregateIndex(context, checkAggregateRequest(request));
    else if (of === 'facets') await facetIndex(context, checkFacetsRequest(request));
    else await searchIndex(context, checkSearchRequest({ ...request, limit: 1, fields: [] }));
    return true;
  } catch (error) {
    if (error instanceof LhsError) return false;
    throw error;
  }
}

/** What the parts ask; undefined: one of them names no field with an order. */
function askedBy(parts: RequestParts, fields: QueryFields): Asked | undefined {
  const { list = '*', group, order, descending, limit } = parts;
  const items = listOf(list).map((item) => figureOf(item) ?? item);
  const figures = items.filter((item) => typeof item !== 'string');
  const [, distinct] = /^distinct\s+(.+)$/i.exec(list) ?? [];
  const groups = namesOf(group ?? distinct, fields);
  const aggs = aggsOf(figures, fields);
  const isList = distinct !== undefined || items.every((item) => isColumn(item, fields));
  if (groups === undefined || aggs === undefined || !isList) return undefined;
  const size = limit === undefined ? {} : { size: Number(limit) };
  if (Object.keys(aggs).length === 0 && groups.length === 1)
    return { of: 'facets', request: { fields: groups, ...size } };
  const nested = groups.reduceRight<AggSpecs>(
    (inner, field) => ({
      [field]: { terms: { field, ...size }, ...(Object.keys(inner).length > 0 && { aggs: inner }) },
    }),
    aggs,
  );
  if (Object.keys(nested).length > 0) return { of: 'aggregate', request: { aggs: nested } };
  if (figures.length > 0) return { of: 'search', request: {} };
  const sort = sortOf(descending === undefined ? order : `${descending} desc`, fields);
  if (sort === undefined) return undefined;
  const page = limit === undefined ? {} : { limit: Number(limit) };
  return { of: 'search', request: { ...(sort.length > 0 && { sort }), ...page } };
}

/** The name of the field with an order that a text names. */
function orderedField(text: string, fields: QueryFields): string | undefined {
  const plan = fields.plans.get(fieldNamed(fields, text) ?? '');
  return plan && fastField(plan, fields)?.name;
}

const isColumn = (item: Figure | string, fields: QueryFields): boolean =>
  typeof item !== 'string' || item === '*' || fieldNamed(fields, item) !== undefined;

/** The names of a list; undefined: one is no such field. */
function namesOf(list: string | undefined, fields: QueryFields): readonly string[] | undefined {
  const items = listOf(list ?? '').filter((item) => item !== '');
  const names = items.flatMap((item) => orderedField(item, fields) ?? []);
  return names.length < items.length ? undefined : names;
}

/** The aggregations of figures, counts of rows apart; undefined: one is of no such field. */
function aggsOf(figures: readonly Figure[], fields: QueryFields): AggSpecs | undefined {
  const aggs: Record<string, AggSpec> = {};
  for (const { kind, of } of figures) {
    if (kind === 'count') continue;
    const field = orderedField(of, fields);
    if (field === undefined) return undefined;
    aggs[`${field} ${kind}`] = { [kind]: { field } } as AggSpec;
  }
  return aggs;
}

/** The sort of `Price DESC, Type`; undefined: a part of it is no such field. */
function sortOf(order: string | undefined, fields: QueryFields): readonly SortSpec[] | undefined {
  const parts = order === undefined ? [] : listOf(order);
  const sort = parts.flatMap((part): SortSpec[] => {
    const [, name = part, way = ''] = /^(.+?)\s+(asc|desc)(?:ending)?$/i.exec(part) ?? [];
    const field = orderedField(name, fields);
    if (field === undefined) return [];
    return [{ field, ...(/desc/i.test(way) && { desc: true }) }];
  });
  return sort.length < parts.length ? undefined : sort;
}
