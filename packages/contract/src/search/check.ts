/**
 * Search requests as they come over the wire: every field is checked by name, type and range, and
 * nothing is ignored.
 */
import { filter, name, names, snapshotId, tree } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  flag,
  list,
  object,
  oneOf,
  record,
  requestOf,
  scalar,
  text,
  whole,
} from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { FacetSpec, HighlightSpec, SearchRequest, SortSpec } from './request.ts';

/** A request whose shape is right; page and highlight settings are filled in. */
export interface CheckedRequest {
  readonly request: SearchRequest;
  readonly limit: number;
  readonly offset: number;
  readonly highlight: null | {
    /** null: every cached TEXT field. */
    readonly fields: readonly string[] | null;
    /** The fields that the query searches, instead. */
    readonly matched: boolean;
    readonly maxFragments: number;
    readonly fragmentSize: number;
  };
}

/** 9999-12-31T23:59:59.999Z in milliseconds since 1970. */
const LAST_NOW = 253_402_300_799_999;
const DEFAULT_LIMIT = 10;
const DEFAULT_FRAGMENTS = 3;
const DEFAULT_FRAGMENT_SIZE = 120;

/** The fields that select the matching documents and the snapshot. */
export const MATCH_FIELDS = {
  index: name,
  query: text,
  ast: tree,
  syntax: oneOf('default', 'kql'),
  default_operator: oneOf('or', 'and'),
  filter,
  now: whole(0, LAST_NOW),
  optional_fields: names,
  pit_id: text,
  min_snapshot: snapshotId,
  wait_ms: whole(0, REQUEST_LIMITS.waitMillis),
  suggest: flag,
};
/** A key of several columns is an array of their texts. */
const sortValue: Check = (value, field) => {
  if (Array.isArray(value)) list(text, REQUEST_LIMITS.keyColumns)(value, field);
  else scalar(value, field);
};
/** The fields of facets. */
export const FACET_FIELDS: Fields<FacetSpec> = {
  fields: list(name, REQUEST_LIMITS.facetFields),
  size: whole(1, REQUEST_LIMITS.facetSize),
};
const SORT_FIELDS: Fields<SortSpec> = { field: name, desc: flag, missing: scalar };
const HIGHLIGHT_FIELDS: Fields<HighlightSpec> = {
  fields: names,
  matched: flag,
  max_fragments: whole(1, 100),
  fragment_size: whole(1, 100_000),
};

/** Every field of a search. */
export const SEARCH_FIELDS: Fields<SearchRequest> = {
  ...MATCH_FIELDS,
  limit: whole(0, REQUEST_LIMITS.pageHits),
  offset: whole(0, REQUEST_LIMITS.windowHits),
  sort: list(record(SORT_FIELDS, ['field']), REQUEST_LIMITS.sortKeys),
  search_after: list(sortValue, REQUEST_LIMITS.sortKeys + 1),
  collapse: name,
  highlight: record(HIGHLIGHT_FIELDS),
  fields: names,
  hydrate: flag,
  hydrate_columns: names,
  facets: record(FACET_FIELDS, ['fields']),
  aggs: object,
};
const readSearch = requestOf<SearchRequest>(SEARCH_FIELDS);

/**
 * Checks a request. Throws invalid_argument or limit_exceeded that name the field and what it
 * should be.
 */
export function checkSearchRequest(value: unknown): CheckedRequest {
  const request = readSearch(value);
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

function highlightSettings(spec: HighlightSpec) {
  if (spec.fields !== undefined && spec.matched === true) {
    const message = '"highlight.fields" and "highlight.matched" exclude each other: send one';
    throw new LhsError('invalid_argument', message);
  }
  return {
    fields: spec.fields ?? null,
    matched: spec.matched === true,
    maxFragments: spec.max_fragments ?? DEFAULT_FRAGMENTS,
    fragmentSize: spec.fragment_size ?? DEFAULT_FRAGMENT_SIZE,
  };
}

function checkTogether(request: SearchRequest, limit: number, offset: number): void {
  if (request.query !== undefined && request.ast !== undefined) {
    throw new LhsError(
      'invalid_argument',
      '"query" and "ast" exclude each other: send one of them',
    );
  }
  if (request.search_after !== undefined && offset > 0) {
    throw new LhsError(
      'invalid_argument',
      '"offset" does not go with "search_after": leave it out',
    );
  }
  if (offset + limit > REQUEST_LIMITS.windowHits) {
    const message = `offset ${offset} + limit ${limit} is more than ${REQUEST_LIMITS.windowHits}`;
    const hint = 'go further with "search_after": the "sort" of the last hit';
    throw new LhsError('limit_exceeded', message, { hint });
  }
  if (request.hydrate === true && limit > REQUEST_LIMITS.hydratedHits) {
    const most = REQUEST_LIMITS.hydratedHits;
    const message = `limit ${limit} with hydrate: at most ${most} rows are read`;
    throw new LhsError('limit_exceeded', message, { hint: 'ask for smaller pages' });
  }
  if (request.hydrate_columns !== undefined && request.hydrate !== true) {
    throw new LhsError('invalid_argument', '"hydrate_columns" needs "hydrate": true');
  }
  if (request.pit_id !== undefined && request.wait_ms !== undefined) {
    throw new LhsError(
      'invalid_argument',
      '"wait_ms" does not go with "pit_id": a point in time never changes',
    );
  }
  if (request.wait_ms !== undefined && request.min_snapshot === undefined) {
    throw new LhsError('invalid_argument', '"wait_ms" needs "min_snapshot"');
  }
}

/** A sort with its direction: by default `_score` falls and all else rises. */
export function sortDirection(spec: SortSpec): boolean {
  return spec.desc ?? spec.field === '_score';
}
