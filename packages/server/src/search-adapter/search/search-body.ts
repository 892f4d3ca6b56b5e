/** The body of a search, joined with the parameters of its URL. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import {
  flagIn,
  millisIn,
  numberIn,
  objectIn,
  onlyKnown,
  type UrlParams,
  wholeIn,
} from '../base/read-json.ts';
import { isObject } from '../query/body.ts';
import { illegal, type RefusedDsl, unserved } from '../query/refusal.ts';
import { sortOfUrl } from './read-sort.ts';

/** Members of a body that a search reads. */
const SERVED = [
  ...['query', 'knn', 'retriever', 'from', 'size', 'sort', '_source', 'fields'],
  ...['docvalue_fields', 'stored_fields', 'highlight', 'search_after', 'track_total_hits'],
  ...['track_scores', 'collapse', 'timeout', 'pit', 'aggs', 'aggregations', 'post_filter'],
  ...['version', 'terminate_after', 'stats', 'explain', 'min_score'],
];
/** Members that are refused by name, unless they say nothing. */
const REFUSED = [
  ...['script_fields', 'runtime_mappings', 'suggest', 'rescore', 'indices_boost'],
  ...['profile', 'slice', 'seq_no_primary_term', 'rank', 'sub_searches', 'ext'],
  ...['derived', 'search_pipeline', 'verbose_pipeline', 'include_named_queries_score', 'type'],
];

/** Most hits that `from` and `size` reach. */
export const WINDOW = 10_000;
/** Hits of a search that names no `size`. */
export const SIZE = 10;

/** A body whose members have known names, and the page that it asks for. */
export interface SearchBody {
  readonly json: JsonObject;
  readonly from: number;
  readonly size: number;
  /** true: exact; false: no total; else a total above it is that number and more. */
  readonly trackTotal: boolean | number;
  readonly timeoutMillis: number | undefined;
  /** Hits that score less are left out. */
  readonly minScore: number | undefined;
  /** The total ends here; only of a search that shows nothing else. */
  readonly terminateAfter: number | undefined;
}

/** Reads a body. Throws RefusedDsl. */
export function readBody(input: Json | undefined, params: UrlParams): SearchBody {
  const body = input === undefined || input === null ? {} : objectIn(input, 'search');
  refuseUnserved(body);
  onlyKnown(body, 'search', [...SERVED, ...REFUSED]);
  const json = withParams(body, params);
  const [from, size] = [pageOf(json, 'from', 0), pageOf(json, 'size', SIZE)];
  if (from + size > WINDOW) throw tooLarge(from + size);
  const { timeout } = json;
  return {
    json,
    from,
    size,
    trackTotal: trackTotalOf(json.track_total_hits, params),
    timeoutMillis: timeout === undefined ? undefined : millisIn(timeout, 'timeout'),
    minScore: minScoreOf(json),
    terminateAfter: terminateOf(json, size),
  };
}

function refuseUnserved(body: JsonObject): void {
  for (const name of REFUSED) {
    const value = body[name];
    if (value === undefined || value === null || value === false) continue;
    if (isObject(value) && Object.keys(value).length === 0) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    throw unserved(`[${name}] is not served by this adapter`);
  }
}

/** Parameters of the URL replace members of the body. */
function withParams(body: JsonObject, params: UrlParams): JsonObject {
  const { q, sort, ...others } = params;
  const names = ['from', 'size', 'timeout', 'terminate_after', 'track_total_hits', 'version'];
  const named = [...names, 'track_scores', 'explain']
    .filter((name) => others[name] !== undefined)
    .map((name) => [name, others[name]] as const);
  const lists = (['docvalue_fields', 'stored_fields'] as const)
    .filter((name) => others[name] !== undefined)
    .map((name) => [name, others[name].split(',')] as const);
  return {
    ...body,
    ...(q === undefined ? {} : { query: queryOfUrl(q, params) }),
    ...(sort === undefined ? {} : { sort: sortOfUrl(sort) }),
    ...Object.fromEntries([...named, ...lists]),
  };
}

/** The query of `q`, `df`, `default_operator`, `analyze_wildcard` and `lenient`. */
export function queryOfUrl(query: string, params: UrlParams): Json {
  const { df, default_operator, analyze_wildcard, lenient } = params;
  return {
    query_string: {
      query,
      ...(df === undefined ? {} : { default_field: df }),
      ...(default_operator === undefined ? {} : { default_operator }),
      ...(analyze_wildcard === undefined
        ? {}
        : { analyze_wildcard: flagIn(analyze_wildcard, 'analyze_wildcard') }),
      ...(lenient === undefined ? {} : { lenient: flagIn(lenient, 'lenient') }),
    },
  };
}

const hasAggregations = ({ aggs, aggregations = aggs }: JsonObject): boolean =>
  isObject(aggregations) && Object.keys(aggregations).length > 0;

function terminateOf(json: JsonObject, size: number): number | undefined {
  const { terminate_after } = json;
  if (terminate_after === undefined) return undefined;
  const most = wholeIn(terminate_after, 'terminate_after');
  if (most === 0) return undefined;
  if (size === 0 && !hasAggregations(json)) return most;
  throw unserved(
    '[terminate_after] is served with [size: 0] and without aggregations: hits are the first of ' +
      'all matches',
  );
}

/** Scores are known of hits, and not of every match: so `min_score` goes with relevance alone. */
function minScoreOf(json: JsonObject): number | undefined {
  const { min_score, sort, search_after, collapse, retriever } = json;
  if (min_score === undefined || min_score === null) return undefined;
  const others = { sort, search_after, collapse, retriever };
  const other = Object.entries(others).find(([, value]) => value !== undefined);
  if (other === undefined && !hasAggregations(json)) return numberIn(min_score, 'min_score');
  throw unserved(`[min_score] with [${other?.[0] ?? 'aggregations'}] is not served`);
}

function pageOf(json: JsonObject, name: 'from' | 'size', fallback: number): number {
  const value = json[name];
  if (value === undefined) return fallback;
  const number = wholeIn(value, name);
  if (number >= 0) return number;
  throw illegal(`[${name}] parameter cannot be negative, found [${number}]`);
}

function tooLarge(reach: number): RefusedDsl {
  return illegal(
    `Result window is too large, from + size must be less than or equal to: [${WINDOW}] but was ` +
      `[${reach}]. See the scroll api for a more efficient way to request large data sets. This ` +
      'limit can be set by changing the [index.max_result_window] index level setting.',
  );
}

function trackTotalOf(json: Json | undefined, params: UrlParams): boolean | number {
  const asInt = flagIn(params.rest_total_hits_as_int ?? 'false', 'rest_total_hits_as_int');
  if (json === undefined || json === null) return asInt ? true : WINDOW;
  if (json === true || json === 'true' || json === '') return true;
  if (json === false || json === 'false') return false;
  const most = wholeIn(json, 'track_total_hits');
  if (asInt) {
    throw illegal(
      '[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, ' +
        `got ${most}`,
    );
  }
  if (most === -1) return true;
  if (most >= 0) return most;
  throw illegal(`[track_total_hits] parameter must be positive or equals to -1, got ${most}`);
}
