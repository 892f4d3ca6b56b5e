/**
 * Scrolls over our points in time. A scroll's id holds the indexes, their points in time, the body
 * and the place of the last hit, so that any gateway serves the next page.
 */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { noSearchContext } from '../base/engine-error.ts';
import { millisIn, objectIn, onlyKnown, textIn, type UrlParams } from '../base/read-json.ts';
import { indexNames, SEARCHED } from '../base/served-index.ts';
import { isObject } from '../query/body.ts';
import { illegal } from '../query/refusal.ts';
import { readBody } from '../search/search-body.ts';
import type { AdapterCall } from './adapter-call.ts';
import { closeOpened, openPits } from './open-pits.ts';
import { contextMissing, decoded, type KnownPit } from './pit-id.ts';
import { indexOptions, searchIndexes } from './search-once.ts';

/** What a scroll's id says. */
export interface ScrollState {
  readonly pits: readonly KnownPit[];
  readonly body: JsonObject;
  readonly after?: readonly Json[];
}

const idOf = (state: ScrollState): string =>
  Buffer.from(JSON.stringify(state)).toString('base64url');

/** What an id says; undefined: it is none of ours. */
export function readScrollId(id: string): ScrollState | undefined {
  const state = decoded(id) as Partial<ScrollState> | undefined;
  if (!isObject(state as Json)) return undefined;
  const { pits, body, after } = state as Partial<ScrollState>;
  const isList = Array.isArray(pits) && pits.length > 0 && pits.length <= SEARCHED;
  const isOurs = isList && pits.every(isPit) && isObject(body as Json);
  if (!isOurs || (after !== undefined && !Array.isArray(after))) return undefined;
  return state as ScrollState;
}

const isPit = (json: unknown): boolean =>
  isObject(json as Json) &&
  typeof (json as KnownPit).index === 'string' &&
  typeof (json as KnownPit).pit === 'string';

/** The first page of a scroll. */
export async function openScroll(call: AdapterCall): Promise<JsonObject> {
  const { params, path } = call;
  const { scroll, ...others } = params;
  const keepMillis = keepMillisOf(scroll);
  const { json, from, size } = readBody(call.body, others);
  if (from > 0) throw illegal('using [from] is not allowed in a scroll context');
  if (size === 0) throw illegal('[size] cannot be [0] in a scroll context');
  if (json.track_total_hits === false || json.track_total_hits === 'false') {
    throw illegal('disabling [track_total_hits] is not allowed in a scroll context');
  }
  if (json.collapse !== undefined) throw illegal('cannot use `collapse` in a scroll context');
  if (json.search_after !== undefined) {
    throw illegal('`search_after` cannot be used in a scroll context.');
  }
  const names = await indexNames(call.reads(), path.index, indexOptions(params));
  await call.begin('openPit', path.index);
  const { _source, _source_includes, _source_excludes } = params;
  const body = sourceInBody(json, { _source, _source_includes, _source_excludes });
  const opening = call.scrolls.open(call.caller, names.length, keepMillis);
  let pits: readonly KnownPit[] = [];
  try {
    pits = await openPits(call, names, `${keepMillis}ms`);
    const first = await page(call, { pits, body }, others);
    opening.opened(pits);
    return first;
  } catch (error) {
    opening.failed();
    await closeOpened(call, pits);
    throw error;
  }
}

/** The parameters that choose parts of rows, as members of the body. */
function sourceInBody(body: JsonObject, params: Partial<Record<string, string>>): JsonObject {
  const { _source, _source_includes, _source_excludes } = params;
  if (_source === 'true' || _source === 'false') return { ...body, _source: _source === 'true' };
  const listed = (text: string | undefined) => text?.split(',') ?? [];
  const includes = [...listed(_source), ...listed(_source_includes)];
  const excludes = listed(_source_excludes);
  const isNamed = includes.length > 0 || excludes.length > 0;
  return isNamed ? { ...body, _source: { includes, excludes } } : body;
}

/** The next page of a scroll. */
export async function nextScroll(call: AdapterCall): Promise<JsonObject> {
  const { body, params, path } = call;
  const json = body === undefined ? {} : objectIn(body, 'scroll');
  onlyKnown(json, 'scroll', ['scroll_id', 'scroll']);
  const scroll = json.scroll ?? params.scroll;
  if (scroll !== undefined) keepMillisOf(String(scroll));
  const id = textIn(json.scroll_id ?? params.scroll_id ?? path.scroll_id, 'scroll_id');
  const state = readScrollId(id);
  if (state === undefined) throw noSearchContext(id);
  call.scrolls.used(call.caller, state.pits);
  const { rest_total_hits_as_int } = params;
  const own: UrlParams = rest_total_hits_as_int === undefined ? {} : { rest_total_hits_as_int };
  return page(call, state, own).catch((error: unknown) => {
    throw contextMissing(error, id);
  });
}

async function page(call: AdapterCall, state: ScrollState, params: UrlParams): Promise<JsonObject> {
  const { pits, body: json, after } = state;
  const { aggs, aggregations, ...later } = json;
  const isFirst = after === undefined;
  const body = readBody(isFirst ? json : { ...later, search_after: after }, {});
  const names = pits.map(({ index }) => index);
  const found = await searchIndexes(call, call.reads(), names, body, params, pits);
  const { hits } = found.hits as { readonly hits: readonly JsonObject[] };
  const last = hits.at(-1)?.sort as readonly Json[] | undefined;
  const next = {
    pits,
    body: json,
    ...((last ?? after) ? { after: last ?? after } : {}),
  };
  const isSorted = json.sort !== undefined;
  const shown = hits.map(({ sort, ...hit }): JsonObject => {
    if (!isSorted || !Array.isArray(sort)) return hit;
    return { ...hit, sort: sort.slice(0, -1) };
  });
  return {
    _scroll_id: idOf(next as ScrollState),
    ...found,
    hits: { ...(found.hits as JsonObject), hits: shown },
  };
}

/** The lifetime of a page, as our points in time take it. Each use renews the first one. */
const keepMillisOf = (scroll: string): number =>
  Math.max(1000, Math.round(millisIn(scroll, 'scroll')));
