/**
 * Search requests as they come over the wire: every field is checked by name, type and range, and
 * nothing is ignored.
 */
import type {
  AggregateRequest,
  BenchRequest,
  FacetsRequest,
  HighlightSpec,
  KeysRequest,
  SearchRequest,
  SortSpec,
  SuggestRequest,
} from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { anything, type Check, flag, list, oneOf, record, text, whole, wrong } from './checks.ts';

/** A request whose shape is right; page and highlight settings are filled in. */
export interface CheckedRequest {
  readonly request: SearchRequest;
  readonly limit: number;
  readonly offset: number;
  readonly highlight: null | {
    /** null: every cached TEXT field. */
    readonly fields: readonly string[] | null;
    readonly maxFragments: number;
    readonly fragmentSize: number;
  };
}

const DEFAULT_LIMIT = 10;
const DEFAULT_FRAGMENTS = 3;
const DEFAULT_FRAGMENT_SIZE = 120;

const tree: Check = (value, name) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(name, value, 'a query tree (an object)');
  }
};
const snapshotId: Check = (value, name) => {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) {
    throw wrong(name, value, 'a snapshot id as a string of digits');
  }
};

/** What says which documents match, and at which snapshot. */
const MATCH_FIELDS = {
  index: text,
  query: text,
  ast: tree,
  syntax: oneOf('default', 'kql'),
  default_operator: oneOf('or', 'and'),
  filter: (value: unknown, name: string) =>
    typeof value === 'string' ? undefined : tree(value, name),
  pit_id: text,
  min_snapshot: snapshotId,
  wait_ms: whole(0, LIMITS.waitMillis),
};
const facetFields = list(text, LIMITS.facetFields);
const facetSize = whole(1, LIMITS.facetSize);

/** Every field of a search. */
export const SEARCH_FIELDS: Readonly<Record<keyof SearchRequest, Check>> = {
  ...MATCH_FIELDS,
  limit: whole(0, LIMITS.pageHits),
  offset: whole(0, LIMITS.windowHits),
  sort: list(record({ field: text, desc: flag }, ['field']), LIMITS.sortKeys),
  search_after: list(anything, LIMITS.sortKeys + 1),
  collapse: text,
  highlight: record({
    fields: list(text, LIMITS.definitionFields),
    max_fragments: whole(1, 100),
    fragment_size: whole(1, 100_000),
  }),
  fields: list(text, LIMITS.definitionFields),
  hydrate: flag,
  hydrate_columns: list(text, LIMITS.definitionFields),
  facets: record({ fields: facetFields, size: facetSize }, ['fields']),
  aggs: anything,
};

/**
 * Checks a request. Throws invalid_argument or limit_exceeded that name the field and what it
 * should be.
 */
export function checkRequest(request: SearchRequest): CheckedRequest {
  record(SEARCH_FIELDS)(request, '');
  const limit = request.limit || DEFAULT_LIMIT;
  const offset = request.offset ?? 0;
  checkTogether(request, limit, offset);
  const { highlight } = request;
  return {
    request,
    limit,
    offset,
    highlight: highlight === undefined ? null : highlightSettings(highlight),
  };
}

const AGGREGATE_FIELDS: Readonly<Record<keyof AggregateRequest, Check>> = {
  ...MATCH_FIELDS,
  aggs: anything,
};
const FACETS_FIELDS: Readonly<Record<keyof FacetsRequest, Check>> = {
  ...MATCH_FIELDS,
  fields: facetFields,
  size: facetSize,
};

/**
 * The documents that a request for aggregations is about, as a search. Throws invalid_argument or
 * limit_exceeded that name the field.
 */
export function checkAggregateRequest(request: AggregateRequest): CheckedRequest {
  record(AGGREGATE_FIELDS, ['aggs'])(request, '');
  const { aggs: _, ...match } = request;
  return checkRequest(match);
}

/** The same for facets. */
export function checkFacetsRequest(request: FacetsRequest): CheckedRequest {
  record(FACETS_FIELDS, ['fields'])(request, '');
  const { fields, size, ...match } = request;
  return checkRequest(match);
}

const part: Check = record({ name: text, value: text }, ['name', 'value']);
const parts: Check = list(part, LIMITS.keyColumns);
const KEYS_FIELDS: Readonly<Record<keyof KeysRequest, Check>> = {
  index: text,
  keys: list(record({ partition: parts, identifier: parts }, ['identifier']), LIMITS.keysPerGet),
  columns: list(text, LIMITS.definitionFields),
};

/**
 * Checks a request for rows by key. Throws invalid_argument or limit_exceeded that name the field.
 */
export function checkKeysRequest(request: KeysRequest): void {
  record(KEYS_FIELDS, ['keys'])(request, '');
}

const SUGGEST_FIELDS: Readonly<Record<keyof SuggestRequest, Check>> = {
  index: text,
  field: text,
  text,
  limit: whole(0, LIMITS.suggestions),
  fuzzy: flag,
  max_edits: whole(0, LIMITS.fuzzyEdits),
};

/** Checks a request for suggestions. Throws invalid_argument or limit_exceeded. */
export function checkSuggestRequest(request: SuggestRequest): void {
  record(SUGGEST_FIELDS, ['field', 'text'])(request, '');
  if (request.max_edits !== undefined && request.fuzzy !== true) {
    throw new LhsError('invalid_argument', '"max_edits" needs "fuzzy": true');
  }
  if (Buffer.byteLength(request.text) > LIMITS.queryBytes) {
    throw new LhsError('limit_exceeded', `"text" is longer than ${LIMITS.queryBytes} bytes`);
  }
}

const BENCH_FIELDS: Readonly<Record<keyof BenchRequest, Check>> = {
  index: text,
  queries: list(text, 100_000),
  operator: oneOf('or', 'and', 'phrase', 'query'),
  limit: whole(0, LIMITS.pageHits),
  warm: whole(0, 1000),
  repeat: whole(1, 1000),
};

/** Checks a benchmark's request. Throws invalid_argument or limit_exceeded that name the field. */
export function checkBenchRequest(request: BenchRequest): void {
  record(BENCH_FIELDS, ['queries'])(request, '');
}

function highlightSettings(spec: HighlightSpec) {
  return {
    fields: spec.fields ?? null,
    maxFragments: spec.max_fragments ?? DEFAULT_FRAGMENTS,
    fragmentSize: spec.fragment_size ?? DEFAULT_FRAGMENT_SIZE,
  };
}

function checkTogether(request: SearchRequest, limit: number, offset: number): void {
  if (request.query !== undefined && request.ast !== undefined) {
    throw new LhsError('invalid_argument', '"query" and "ast" both given: send one of them');
  }
  if (request.search_after !== undefined && offset > 0) {
    throw new LhsError(
      'invalid_argument',
      '"offset" does not go with "search_after": leave it out',
    );
  }
  if (offset + limit > LIMITS.windowHits) {
    const message = `offset ${offset} + limit ${limit} is more than ${LIMITS.windowHits}`;
    const hint = 'go further with "search_after": the "sort" of the last hit';
    throw new LhsError('limit_exceeded', message, { hint });
  }
  if (request.hydrate === true && limit > LIMITS.hydratedHits) {
    const message = `limit ${limit} with hydrate: at most ${LIMITS.hydratedHits} rows are read`;
    throw new LhsError('limit_exceeded', message, { hint: 'ask for smaller pages' });
  }
  if (request.hydrate_columns !== undefined && request.hydrate !== true) {
    throw new LhsError('invalid_argument', '"hydrate_columns" needs "hydrate": true');
  }
  if (request.pit_id !== undefined && request.wait_ms !== undefined) {
    throw new LhsError('invalid_argument', '"wait_ms" does not go with "pit_id": it stands still');
  }
  if (request.wait_ms !== undefined && request.min_snapshot === undefined) {
    throw new LhsError('invalid_argument', '"wait_ms" needs "min_snapshot"');
  }
}

/** A sort as the index takes it: `_score` falls unless told, all else rises. */
export function sortDirection(spec: SortSpec): boolean {
  return spec.desc ?? spec.field === '_score';
}
