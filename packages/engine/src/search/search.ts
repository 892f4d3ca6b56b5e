/**
 * A search from a checked request to its response, over the shards of one commit. Steps: bind, find
 * the documents of `knn` clauses, search all shards and merge their hits, then for the page only:
 * cached fields and marks from the shards of its documents, rows from the table.
 */

import type {
  Coordinates,
  Hit,
  Json,
  SearchRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import type { CheckedRequest } from '@lakehouse-search/contract/internal';
import { lazily } from '../base/lazily.ts';
import { comparesTexts, numbersHint } from '../query/bind/bounds.ts';
import { coordinatesOf, formatKey, idOf } from '../schema/keys/key.ts';
import type { BoundRequest } from '../shard/request/bind-request.ts';
import { queryFields } from '../shard/request/query-fields.ts';
import { columnValueToJson, sortToJson } from '../shard/request/sort-values.ts';
import type { FetchedDoc } from '../shard/shard.ts';
import {
  envelope,
  lagOf,
  notesOf,
  requireSnapshot,
  type SearchContext,
  scanned,
} from './context.ts';
import { FanOut } from './fan-out.ts';
import type { Hydrated } from './fetch/hydrate.ts';
import type { RowHighlight } from './fetch/row-highlights.ts';
import type { RowCost } from './fetch/rows.ts';
import { type FoundDoc, findHits, type PreparedSearch, prepareSearch } from './find-hits.ts';

const loadSummaries = lazily(() => import('./summarize.ts'));
const loadHydrate = lazily(() => import('./fetch/hydrate.ts'));
const loadOriginals = lazily(() => import('./originals.ts'));
const loadRowHighlights = lazily(() => import('./fetch/row-highlights.ts'));

/**
 * Answers a search over one commit of an index. Throws invalid_argument, invalid_query,
 * limit_exceeded, and snapshot_not_reached where the index is behind `min_snapshot` (waiting for it
 * is the caller's part).
 */
export async function searchIndex(
  context: SearchContext,
  checked: CheckedRequest,
): Promise<SearchResponse> {
  const started = performance.now();
  const fan = new FanOut(context.shards);
  const prepared = await prepareSearch(context, fan, checked);
  const { min_snapshot } = checked.request;
  if (min_snapshot !== undefined) await requireSnapshot(context, min_snapshot);
  return answerSearch(context, fan, prepared, started);
}

/** What the modes of searching add to an answer. */
export interface AnswerParts {
  readonly ofHit?: (doc: FoundDoc) => Partial<Hit>;
  readonly more?: Partial<SearchResponse>;
}

/** The answer to a search that began at `started` (performance.now()). */
export async function answerSearch(
  context: SearchContext,
  fan: FanOut,
  prepared: PreparedSearch,
  started: number,
  { ofHit, more }: AnswerParts = {},
): Promise<SearchResponse> {
  const { bound } = prepared;
  const { request, limit, offset } = bound.checked;
  const lag = lagOf(context);
  const window = { limit: offset + limit, skip: offset, after: prepared.after, total: true };
  const { docs, total, skipped = 0 } = await findHits(context, fan, prepared, window);
  const summary = hasSummary(request) ? await summaryOf(context, fan, prepared) : null;
  const page = docs.slice(offset - skipped);
  const fetched = showsFields(bound) ? await fetchPage(context, fan, prepared, page) : null;
  const cost = { bytes: 0, requests: 0 };
  const rows = request.hydrate ? await hydrated(context, page, fetched, request, cost) : null;
  const marks =
    bound.rowHighlight.length === 0 ? null : await marked(context, page, fetched, bound, cost);
  const groups = await shownGroups(context, fan, bound, page);
  const shown = (doc: FoundDoc, i: number) =>
    withMarks(hitOf(context, bound, doc, groups?.[i], fetched?.[i], rows?.[i]), marks?.[i]);
  const hits =
    ofHit === undefined
      ? page.map(shown)
      : page.map((doc, i) => ({ ...shown(doc, i), ...ofHit(doc) }));
  return {
    hits,
    total,
    ...scanned(fan),
    ...(fan.failed === 0 ? {} : { partial: true as const }),
    ...envelope(context, started),
    ...(await lag),
    // Pages of data files hold rows of all tenants: their bytes are not those of one tenant.
    ...(!needsRows(bound) || context.tenant !== undefined ? {} : { hydrate_bytes: cost.bytes }),
    ...summary,
    ...more,
    ...notesOf([...bound.notes, ...sortNotes(context, bound, page), ...(more?.notes ?? [])]),
  };
}

/** Notes on sorts by texts whose values on the page are numbers of different lengths. */
function sortNotes(
  { mapping }: SearchContext,
  { order }: BoundRequest,
  page: readonly FoundDoc[],
): readonly string[] {
  return order.flatMap((key, i) => {
    if (key.kind !== 'field' || key.field.type !== 'KEYWORD') return [];
    const values = page.map(({ hit }) => hit.values[i]).filter((value) => value !== null);
    const texts = values.map((value) => String(columnValueToJson(key.field, value)));
    const lengths = texts.map((text) => /^[-+]?(0|[1-9]\d*)(?:\.\d+)?$/.exec(text)?.[1].length);
    if (lengths.includes(undefined) || new Set(lengths).size < 2) return [];
    const retyped = numbersHint(key.field, queryFields(mapping));
    return [comparesTexts(`the sort by ${key.field.name}`, key.field, retyped)];
  });
}

const hasSummary = ({ facets, aggs }: SearchRequest): boolean =>
  facets !== undefined || aggs !== undefined;

/** Facets and aggregations: their code is loaded by the first search that requests some. */
async function summaryOf(context: SearchContext, fan: FanOut, prepared: PreparedSearch) {
  const { facets, aggs } = prepared.bound.checked.request;
  const { summarize } = await loadSummaries();
  return summarize(context, fan, prepared, facets, aggs);
}

/** True when a hit shows more than its key and its place. */
function showsFields({ checked, fields }: BoundRequest): boolean {
  return fields.length > 0 || checked.highlight !== null || checked.request.hydrate === true;
}

/**
 * What the page shows of its documents, from their shards. The documents of a shard that fails now
 * stay on the page without it.
 */
async function fetchPage(
  { deadline }: SearchContext,
  fan: FanOut,
  { queries, bound }: PreparedSearch,
  page: readonly FoundDoc[],
): Promise<readonly (FetchedDoc | undefined)[]> {
  const locators = needsRows(bound);
  return fan.askOwners(
    page,
    ({ shard }) => shard,
    (shard, own, number) => {
      const docs = own.map(({ segment, hit: { doc } }) => ({ segment, doc }));
      const request = { query: queries[number], docs, locators, time: deadline.left };
      return shard.fetch(request, deadline.signal);
    },
  );
}

const needsRows = ({ checked, rowHighlight }: BoundRequest): boolean =>
  checked.request.hydrate === true || rowHighlight.length > 0;

const rowsOf = (page: readonly FoundDoc[], fetched: readonly (FetchedDoc | undefined)[] | null) =>
  page.map(({ hit: { key } }, i) => ({ key, locator: fetched?.[i]?.locator ?? null }));

/**
 * Highlights of fields that are not cached. If the request asks for what matched, only those of
 * hits that have no marks yet, and rows that cannot be read are passed over.
 */
async function marked(
  context: SearchContext,
  page: readonly FoundDoc[],
  fetched: readonly (FetchedDoc | undefined)[] | null,
  bound: BoundRequest,
  cost: RowCost,
): Promise<readonly (RowHighlight | undefined)[]> {
  const { rowHighlights } = await loadRowHighlights();
  const rows = rowsOf(page, fetched);
  if (bound.checked.highlight?.matched !== true) {
    return rowHighlights(context, bound, rows, cost);
  }
  // a clause such as `repo:curl` does not show why a row with the words of a text matched
  const hasText = bound.rowHighlight.some(({ plan }) => plan.type === 'TEXT');
  const marks = bound.highlight?.filter(({ type }) => !hasText || type === 'TEXT') ?? [];
  const isMarked = (i: number) =>
    marks.some(({ name }) => fetched?.[i]?.highlight?.[name] !== undefined);
  const lacking = rows.filter((_, i) => !isMarked(i));
  const found = await rowHighlights(context, bound, lacking, cost);
  const byRow = new Map(
    lacking.map((row, i) => [row, 'highlight' in found[i] ? found[i] : undefined]),
  );
  return rows.map((row) => byRow.get(row));
}

function withMarks(hit: Hit, marks: RowHighlight | undefined): Hit {
  if (marks === undefined) return hit;
  if (!('highlight' in marks)) return { ...hit, ...marks };
  return { ...hit, highlight: { ...hit.highlight, ...marks.highlight } };
}

/** Reading rows needs the lake's code: loaded by the first search that hydrates. */
async function hydrated(
  context: SearchContext,
  page: readonly FoundDoc[],
  fetched: readonly (FetchedDoc | undefined)[] | null,
  request: SearchRequest,
  cost: RowCost,
): Promise<readonly Hydrated[]> {
  const { hydrate } = await loadHydrate();
  return hydrate(context, rowsOf(page, fetched), request.hydrate_columns, cost);
}

/** The values that the hits of a page are grouped by, folded ones as originals. */
async function shownGroups(
  context: SearchContext,
  fan: FanOut,
  { collapse }: BoundRequest,
  page: readonly FoundDoc[],
): Promise<readonly (Json | undefined)[] | null> {
  if (collapse === null) return null;
  const values = page.map(({ hit }) =>
    'group' in hit ? columnValueToJson(collapse, hit.group) : undefined,
  );
  if (collapse.folded === undefined) return values;
  const { shownValues } = await loadOriginals();
  const texts = values.filter((value) => typeof value === 'string');
  const show = await shownValues(context, fan, collapse, texts);
  return values.map((value) => (typeof value === 'string' ? show(value) : value));
}

/** A key in the forms in which a hit has it. */
function namesOf(coordinates: Coordinates): Pick<Hit, 'coordinates' | 'key' | 'id'> {
  return { coordinates, key: formatKey(coordinates), ...idOf(coordinates) };
}

function hitOf(
  { mapping }: SearchContext,
  bound: BoundRequest,
  { hit }: FoundDoc,
  group: Json | undefined,
  fetched: FetchedDoc | undefined,
  row: Hydrated | undefined,
): Hit {
  const { order, checked } = bound;
  const { sort, search_after, pit_id } = checked.request;
  const showSort = sort !== undefined || search_after !== undefined || pit_id !== undefined;
  return {
    ...namesOf(coordinatesOf(mapping.key, hit.key)),
    score: hit.score,
    ...(showSort ? { sort: sortToJson(order, hit.values, hit.key) } : {}),
    ...(fetched?.fields === undefined ? {} : { fields: fetched.fields }),
    ...(group !== undefined && 'group' in hit
      ? { collapse: { value: group, count: hit.count } }
      : {}),
    ...(fetched?.highlight === undefined ? {} : { highlight: fetched.highlight }),
    ...row,
  };
}
