import { coordinates } from '../checks/shared.ts';
import { type Fields, oneOf, requestOf } from '../checks/values.ts';
import type { Coordinates } from '../coordinates.ts';
import { LhsError } from '../errors.ts';
import { type CheckedRequest, checkSearchRequest, SEARCH_FIELDS } from '../search/check.ts';
import {
  type CheckedHybrid,
  type CheckedSemantic,
  checkHybridRequest,
  checkSemanticRequest,
  FUSION_FIELDS,
  NEAREST_FIELDS,
} from '../search/check-nearest.ts';
import type { SearchMode } from '../search/request.ts';
import type { ExplainRequest } from './request.ts';

/** A request to explain whose shape is right, as the search that it is about. */
export type CheckedExplain =
  | { readonly mode: 'lexical'; readonly search: CheckedRequest }
  | ({ readonly mode: 'semantic' } & CheckedSemantic)
  | ({ readonly mode: 'hybrid' } & CheckedHybrid);

/** The same with the key of the row, and where it is read. */
export interface CheckedExplainRequest {
  readonly asked: CheckedExplain;
  readonly coordinates: Coordinates;
}

const MODES: readonly SearchMode[] = ['lexical', 'semantic', 'hybrid'];
const FIELDS: Fields<ExplainRequest> = {
  index: SEARCH_FIELDS.index,
  mode: oneOf(...MODES),
  query: SEARCH_FIELDS.query,
  ast: SEARCH_FIELDS.ast,
  syntax: SEARCH_FIELDS.syntax,
  default_operator: SEARCH_FIELDS.default_operator,
  filter: SEARCH_FIELDS.filter,
  now: SEARCH_FIELDS.now,
  optional_fields: SEARCH_FIELDS.optional_fields,
  sort: SEARCH_FIELDS.sort,
  limit: SEARCH_FIELDS.limit,
  offset: SEARCH_FIELDS.offset,
  pit_id: SEARCH_FIELDS.pit_id,
  ...NEAREST_FIELDS,
  ...FUSION_FIELDS,
  coordinates,
};
const readExplain = requestOf<ExplainRequest>(FIELDS, 'coordinates');

/** Checks a request to explain. Throws invalid_argument or limit_exceeded that name the field. */
export function checkExplainRequest(request: unknown): CheckedExplainRequest {
  const { coordinates: key, ...search } = readExplain(request);
  return { asked: checkAsked(search), coordinates: key };
}

function checkAsked(request: Omit<ExplainRequest, 'coordinates'>): CheckedExplain {
  const { mode = 'lexical', ...search } = request;
  for (const name of Object.keys(search) as (keyof typeof search)[]) {
    const needs = search[name] === undefined ? null : modeOf(name);
    if (needs === null || needs.includes(mode)) continue;
    const message = `"${name}" does not go with mode "${mode}"`;
    throw new LhsError('invalid_argument', message, { hint: `it goes with ${needs.join(', ')}` });
  }
  if (mode === 'semantic') return { mode, ...checkSemanticRequest(search) };
  if (mode === 'hybrid') return { mode, ...checkHybridRequest(search) };
  return { mode, search: checkSearchRequest(search) };
}

/** The modes in which a field is allowed; null: all. */
function modeOf(field: string): readonly SearchMode[] | null {
  if (field === 'query' || field === 'ast') return ['lexical'];
  if (Object.hasOwn(FUSION_FIELDS, field)) return ['hybrid'];
  return Object.hasOwn(NEAREST_FIELDS, field) ? ['semantic', 'hybrid'] : null;
}
