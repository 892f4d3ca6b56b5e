/**
 * Requests for what is near, as they come over the wire: the parts of every search are checked as
 * those of a search, the others here.
 */
import { name, names } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  flag,
  list,
  number,
  record,
  requestOf,
  textUpTo,
  whole,
  wrong,
} from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import { type CheckedRequest, checkSearchRequest, SEARCH_FIELDS } from './check.ts';
import type {
  HybridRequest,
  NearestSpec,
  SearchMode,
  SearchRequest,
  SemanticRequest,
} from './request.ts';

/** What should be near, checked; `k` and `exact` are filled in. */
export interface CheckedNearest extends NearestSpec {
  readonly k: number;
  readonly exact: boolean;
}
/** A semantic request whose shape is right. */
export interface CheckedSemantic {
  /** What it shares with every search: no query. */
  readonly search: CheckedRequest;
  readonly nearest: CheckedNearest;
}
/** How two lists are fused. Weights are whole thousandths; 0: the arm does not search. */
export interface Fusion {
  readonly rrfK: number;
  readonly weights: { readonly lexical: number; readonly semantic: number };
}
/** A hybrid request whose shape is right. */
export interface CheckedHybrid extends CheckedSemantic {
  readonly text: string;
  readonly fusion: Fusion;
  readonly lexicalFields: readonly string[] | undefined;
}

const DEFAULT_K = 100;
/**
 * Of each arm of a hybrid search: fusing longer lists than a page puts rows that both arms have far
 * behind before those that one has first (bench/meaning-quality.ts).
 */
const DEFAULT_ARM_K = 10;
const DEFAULT_RRF_K = 60;
const MOST_RRF_K = 1_000_000;
const MOST_WEIGHT = 1000;
/** Weights are counted in these. */
export const WEIGHT_UNITS = 1000;

const weight: Check = (value, field) => {
  const units = typeof value === 'number' ? value * WEIGHT_UNITS : Number.NaN;
  const whole = Math.abs(units - Math.round(units)) < 1e-6;
  if (whole && units >= 0 && units <= MOST_WEIGHT * WEIGHT_UNITS) return;
  throw wrong(field, value, `a number from 0 to ${MOST_WEIGHT} with three decimals or fewer`);
};

/** The fields of what should be near. */
export const NEAREST_FIELDS: Fields<NearestSpec> = {
  vector_field: name,
  query_text: textUpTo(REQUEST_LIMITS.queryBytes),
  query_vector: list(number, REQUEST_LIMITS.vectorDims),
  k: whole(1, REQUEST_LIMITS.nearestDocs),
  exact: flag,
  ef: whole(1, REQUEST_LIMITS.nearestDocs),
  min_score: number,
};
/** The fields of how lists are fused. */
export const FUSION_FIELDS = {
  rrf_k: whole(0, MOST_RRF_K),
  weights: record({ lexical: weight, semantic: weight }),
  lexical_fields: names,
};
const { query: _, ast: __, ...OTHER_FIELDS } = SEARCH_FIELDS;
const SEMANTIC_FIELDS: Fields<SemanticRequest> = {
  ...NEAREST_FIELDS,
  ...OTHER_FIELDS,
};
const HYBRID_FIELDS: Fields<HybridRequest> = {
  ...SEMANTIC_FIELDS,
  ...FUSION_FIELDS,
};

const readSemantic = requestOf<SemanticRequest>(SEMANTIC_FIELDS);
const readHybrid = requestOf<HybridRequest>(HYBRID_FIELDS);

/** Checks a semantic request. Throws invalid_argument or limit_exceeded that name the field. */
export function checkSemanticRequest(value: unknown): CheckedSemantic {
  const request = readSemantic(value);
  if (request.query_text === undefined && request.query_vector === undefined) {
    const message = 'neither "query_text" nor "query_vector": what should be near?';
    throw new LhsError('invalid_argument', message);
  }
  return checkParts(request, DEFAULT_K);
}

/** Checks a hybrid request. Throws as `checkSemanticRequest`. */
export function checkHybridRequest(value: unknown): CheckedHybrid {
  const { rrf_k: rrfK, weights, lexical_fields: lexicalFields, ...near } = readHybrid(value);
  if (near.query_text === undefined) {
    throw new LhsError('invalid_argument', '"query_text" is missing: its words are one arm', {
      hint: 'a search by a vector alone is semantic',
    });
  }
  const fusion = { rrfK: rrfK ?? DEFAULT_RRF_K, weights: weightUnits(weights) };
  return { ...checkParts(near, DEFAULT_ARM_K), text: near.query_text, fusion, lexicalFields };
}

/** A search of a mode whose shape is right. */
export type CheckedSearch =
  | { readonly mode: 'lexical'; readonly checked: CheckedRequest }
  | { readonly mode: 'semantic'; readonly checked: CheckedSemantic }
  | { readonly mode: 'hybrid'; readonly checked: CheckedHybrid };

/** Checks the request of a mode. Throws as the check of that mode. */
export function checkSearchOf(mode: SearchMode, request: unknown): CheckedSearch {
  if (mode === 'lexical') return { mode, checked: checkSearchRequest(request) };
  if (mode === 'semantic') return { mode, checked: checkSemanticRequest(request) };
  return { mode, checked: checkHybridRequest(request) };
}

function weightUnits({ lexical = 1, semantic = 1 }: NonNullable<HybridRequest['weights']> = {}) {
  if (lexical === 0 && semantic === 0) {
    throw new LhsError('invalid_argument', '"weights" are both 0: no arm would search');
  }
  const units = (value: number) => Math.round(value * WEIGHT_UNITS);
  return { lexical: units(lexical), semantic: units(semantic) };
}

/** Without a `k` there are as many as a page needs, and no fewer than `leastK`. */
function checkParts(request: SemanticRequest, leastK: number): CheckedSemantic {
  const { vector_field, query_text, query_vector, k, exact, ef, min_score, ...others } = request;
  if (exact === true && ef !== undefined) {
    throw new LhsError(
      'invalid_argument',
      '"ef" does not go with "exact": every vector is compared',
    );
  }
  const spec = { vector_field, query_text, query_vector, ef, min_score };
  const nearest = { ...spec, k: k ?? Math.max(leastK, others.limit ?? 0), exact: exact ?? false };
  return { search: checkSearchRequest({ ...others, ...pageOf(others, k) }), nearest };
}

/** Without `limit`, a request with `k` returns all of them. */
function pageOf({ limit, offset = 0 }: SearchRequest, k: number | undefined) {
  if (limit || k === undefined) return {};
  return { limit: Math.max(1, Math.min(k, REQUEST_LIMITS.windowHits - offset)) };
}

/**
 * A `knn` node's settings as those of a request. Its shape has been checked by the tree's reader.
 */
export function nearestOfNode({ k, exact, ...spec }: NearestSpec): CheckedNearest {
  return { ...spec, k: k ?? DEFAULT_K, exact: exact ?? false };
}
