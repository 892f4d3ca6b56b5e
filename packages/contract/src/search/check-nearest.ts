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
  oneOf,
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
  ArmWeights,
  FusionMethod,
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
  /** The `k` of the request; undefined: the default, which does not depend on the page. */
  readonly requestedK: number | undefined;
}
/** Weights of the arms in whole thousandths; 0: the arm does not search. */
export interface FusionWeights {
  readonly lexical: number;
  readonly semantic: number;
}
/** How two lists are fused. */
export type Fusion =
  | { readonly method: 'rrf'; readonly rrfK: number; readonly weights: FusionWeights }
  | { readonly method: 'scores'; readonly weights: FusionWeights };
/** How an index fuses unless a request says otherwise; `weight` is that of the semantic arm. */
export interface FusionDefaults {
  readonly fusion: FusionMethod;
  /** From 0 to 1; undefined: that of the method. */
  readonly weight?: number;
  /** Documents of each arm. */
  readonly depth: number;
}
/** A hybrid request whose shape is right; `fusionFor` fills in what the index decides. */
export interface CheckedHybrid extends CheckedSemantic {
  readonly text: string;
  readonly fusion: Pick<HybridRequest, 'fusion' | 'rrf_k' | 'weights'>;
  readonly lexicalFields: readonly string[] | undefined;
}

const DEFAULT_K = 100;
/** Of an index whose definition says nothing of fusion (figures: bench/hybrid-quality.ts). */
export const FUSION_DEFAULTS: FusionDefaults = Object.freeze({
  fusion: 'scores',
  depth: DEFAULT_K,
});
const DEFAULT_WEIGHTS: Readonly<Record<FusionMethod, ArmWeights>> = {
  rrf: { lexical: 1, semantic: 1 },
  scores: { lexical: 0.65, semantic: 0.35 },
};
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
  fusion: oneOf('rrf', 'scores'),
  rrf_k: whole(0, MOST_RRF_K),
  weights: record({ lexical: weight, semantic: weight }),
  lexical_fields: names,
};
const { query: _, ast: __, suggest: ___, ...OTHER_FIELDS } = SEARCH_FIELDS;
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
  return checkParts(request);
}

/** Checks a hybrid request. Throws as `checkSemanticRequest`. */
export function checkHybridRequest(value: unknown): CheckedHybrid {
  const { fusion, rrf_k, weights, lexical_fields: lexicalFields, ...near } = readHybrid(value);
  if (near.query_text === undefined) {
    throw new LhsError('invalid_argument', '"query_text" is missing: its words are one arm', {
      hint: 'a search by a vector alone is semantic',
    });
  }
  if (fusion === 'scores' && rrf_k !== undefined) {
    throw new LhsError('invalid_argument', '"rrf_k" does not go with fusion "scores"', {
      hint: 'it is the constant of fusion "rrf"',
    });
  }
  if (weights?.lexical === 0 && weights.semantic === 0) {
    throw new LhsError('invalid_argument', '"weights" are both 0: no arm would search');
  }
  const how = { fusion, rrf_k, weights };
  return { ...checkParts(near), text: near.query_text, fusion: how, lexicalFields };
}

/** The fusion of a request to an index with these defaults, and the documents of each arm. */
export function fusionFor(
  { fusion: { fusion, rrf_k, weights }, requestedK }: CheckedHybrid,
  defaults: FusionDefaults = FUSION_DEFAULTS,
): { readonly fusion: Fusion; readonly k: number } {
  const method = fusion ?? (rrf_k === undefined ? defaults.fusion : 'rrf');
  const own = method === defaults.fusion ? defaults.weight : undefined;
  const usual = own === undefined ? DEFAULT_WEIGHTS[method] : { lexical: 1 - own, semantic: own };
  const units = weightUnits(weights ?? usual);
  return {
    fusion:
      method === 'rrf'
        ? { method, rrfK: rrf_k ?? DEFAULT_RRF_K, weights: units }
        : { method, weights: units },
    k: requestedK ?? defaults.depth,
  };
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

function weightUnits({ lexical = 1, semantic = 1 }: ArmWeights): FusionWeights {
  const units = (value: number) => Math.round(value * WEIGHT_UNITS);
  return { lexical: units(lexical), semantic: units(semantic) };
}

function checkParts(request: SemanticRequest): CheckedSemantic {
  const { vector_field, query_text, query_vector, k, exact, ef, min_score, ...others } = request;
  if (exact === true && ef !== undefined) {
    throw new LhsError(
      'invalid_argument',
      '"ef" does not go with "exact": every vector is compared',
    );
  }
  const spec = { vector_field, query_text, query_vector, ef, min_score };
  const nearest = { ...spec, k: k ?? DEFAULT_K, exact: exact ?? false };
  const search = checkSearchRequest({ ...others, ...pageOf(others, k) });
  return { search, nearest, requestedK: k };
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
