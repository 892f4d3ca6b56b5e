/** A search of the imitated engine in our own terms: what is requested, and how hits are shown. */
import type {
  HybridRequest,
  Json,
  JsonObject,
  QueryTree,
  SearchRequest,
} from '@lakehouse-search/contract';
import { flagIn, listIn, objectIn, onlyKnown, textIn, type UrlParams } from '../base/read-json.ts';
import type { ServedIndex } from '../base/served-index.ts';
import { illegal, unserved } from '../query/refusal.ts';
import { translateQuery, translateRetriever } from '../query/translate-query.ts';
import { type HighlightPlan, hasHighlight, readHighlight } from './highlight.ts';
import { type FieldsPlan, readFields } from './hit-fields.ts';
import {
  type IndexMember,
  readSearchAfter,
  readSort,
  type SortPlan,
  specsOf,
} from './read-sort.ts';
import type { SearchBody } from './search-body.ts';
import { readSource, type SourceFilter } from './source-filter.ts';

/** What selects the documents of a search; `hybrid` replaces the tree for fused lists. */
export type Selection = Pick<SearchRequest, 'ast' | 'filter' | 'pit_id' | 'index'> & {
  readonly hybrid?: Partial<HybridRequest>;
};

/** A search. */
export interface SearchPlan {
  readonly index: ServedIndex;
  readonly body: SearchBody;
  readonly selection: Selection;
  /** Restricts the hits, and not the aggregations. */
  readonly postFilter: QueryTree | undefined;
  readonly sort: SortPlan;
  readonly searchAfter: readonly Json[] | undefined;
  readonly trackScores: boolean;
  readonly source: SourceFilter | null;
  readonly fields: FieldsPlan;
  readonly highlight: HighlightPlan | undefined;
  readonly collapse: string | undefined;
  readonly showVersion: boolean;
  /** False: `stored_fields` is `_none_`. */
  readonly showId: boolean;
  /** Hits explain their scores. */
  readonly explains: boolean;
  /** Searches inside of the group of each hit. */
  readonly innerHits: readonly JsonObject[];
}

/**
 * Reads what a body says of an index. `pitId`: the point in time; `member`: the index is one of
 * several. Throws RefusedDsl.
 */
export function planSearch(
  index: ServedIndex,
  body: SearchBody,
  params: UrlParams,
  pitId: string | undefined,
  member?: IndexMember,
): SearchPlan {
  const { json } = body;
  const { table } = index;
  const selection = selectionOf(json, index, pitId);
  const sort = readSort(json.sort, table, member);
  const { search_after, post_filter, stored_fields } = json;
  if (search_after !== undefined && body.from > 0) {
    throw illegal('[from] parameter must be set to 0 when [search_after] is used');
  }
  const hasStored = stored_fields !== undefined && !asksSource(stored_fields);
  const after = search_after === undefined ? 'all' : readSearchAfter(search_after, sort);
  return {
    index,
    body: after === 'none' ? { ...body, size: 0 } : body,
    selection,
    postFilter: post_filter === undefined ? undefined : translateQuery(post_filter, table).ast,
    sort,
    searchAfter: typeof after === 'string' ? undefined : after,
    trackScores: flagIn(json.track_scores ?? false, 'track_scores'),
    source: readSource(json._source, params, !hasStored),
    fields: new Map([
      ...readFields(json.docvalue_fields, index, 'docvalue_fields'),
      ...readFields(json.fields, index, 'fields'),
    ]),
    highlight: hasHighlight(json.highlight) ? readHighlight(json.highlight, table) : undefined,
    collapse: json.collapse === undefined ? undefined : collapseOf(json.collapse),
    showVersion: flagIn(json.version ?? false, 'version'),
    showId: !(stored_fields !== undefined && listIn(stored_fields).includes('_none_')),
    explains: flagIn(json.explain ?? false, 'explain'),
    innerHits: json.collapse === undefined ? [] : innerHitsOf(json.collapse),
  };
}

/** The documents of `query`, `knn` and `retriever`. */
export function selectionOf(
  { query, knn, retriever }: JsonObject,
  { name, table }: ServedIndex,
  pitId: string | undefined,
): Selection {
  const nearest = knn === undefined ? [] : listIn(knn).map((one): Json => ({ knn: one }));
  const all = [...(query === undefined || query === null ? [] : [query]), ...nearest];
  const dsl = all.length === 1 ? all[0] : all.length === 0 ? { match_all: {} } : anyOf(all);
  if (retriever !== undefined && all.length > 0) {
    throw illegal('[retriever] cannot be used with [query] or [knn]');
  }
  const { ast, nearest: hybrid } =
    retriever === undefined ? translateQuery(dsl, table) : translateRetriever(retriever, table);
  return {
    index: name,
    ...(hybrid === undefined ? { ast } : { hybrid }),
    ...(pitId === undefined ? {} : { pit_id: pitId }),
  };
}

const anyOf = (should: readonly Json[]): Json => ({ bool: { should } });

function asksSource(json: Json): boolean {
  const names = listIn(json).map((one) => textIn(one, 'stored_fields'));
  const other = names.find((name) => !['*', '_source', '_none_', '_id'].includes(name));
  if (other !== undefined) {
    throw unserved(`[stored_fields] with [${other.slice(0, 100)}] is not served by this adapter`);
  }
  return names.includes('_source');
}

function collapseOf(json: Json): string {
  const body = objectIn(json, 'collapse');
  onlyKnown(body, 'collapse', ['field', 'inner_hits', 'max_concurrent_group_searches']);
  return textIn(body.field, 'collapse.field');
}

/** Searches of one group: each hit of a page has them. */
const MOST_INNER = 10;

function innerHitsOf(json: Json): readonly JsonObject[] {
  const { inner_hits } = objectIn(json, 'collapse');
  if (inner_hits === undefined) return [];
  const list = listIn(inner_hits);
  if (list.length > MOST_INNER) throw illegal(`more than ${MOST_INNER} [inner_hits]`);
  return list.map((one) => objectIn(one, 'inner_hits'));
}

/** The request of the page of a plan. `limit` 0: no hit is shown, and one is read. */
export function pageRequest(plan: SearchPlan): SearchRequest {
  const { body, sort, searchAfter, highlight, collapse, postFilter } = plan;
  const { hybrid: _, ...selection } = plan.selection;
  const isShown = body.size > 0;
  const specs = specsOf(sort);
  const needsOrder = searchAfter !== undefined && specs.length === 0;
  return {
    ...selection,
    limit: isShown ? body.size : 1,
    ...(body.from > 0 && isShown ? { offset: body.from } : {}),
    ...(specs.length > 0 ? { sort: specs } : {}),
    ...(needsOrder ? { sort: [{ field: '_score' }] } : {}),
    ...(searchAfter === undefined ? {} : { search_after: searchAfter }),
    ...(collapse === undefined ? {} : { collapse }),
    ...(postFilter === undefined ? {} : { filter: postFilter }),
    ...(highlight === undefined || !isShown ? {} : { highlight: highlight.spec }),
    ...(isShown && needsRows(plan) && body.size <= HYDRATED ? { hydrate: true } : {}),
  };
}

/** Rows that a search reads with its hits; those of larger pages are read by key. */
export const HYDRATED = 1000;

/** Whether hits show anything of their row. */
export function needsRows({ source, fields }: SearchPlan): boolean {
  return source !== null || [...fields.values()].some(({ field }) => !field.cached);
}
