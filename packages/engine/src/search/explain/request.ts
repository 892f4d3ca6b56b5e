import type { ExplainRequest, SearchMode } from '../../backend.ts';
import { LhsError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { type Check, list, oneOf, record, text } from '../checks.ts';
import {
  type CheckedHybrid,
  type CheckedSemantic,
  checkHybridRequest,
  checkSemanticRequest,
  FUSION_FIELDS,
  NEAREST_FIELDS,
} from '../meaning/request.ts';
import { type CheckedRequest, checkRequest, SEARCH_FIELDS } from '../request.ts';

/** A request to explain whose shape is right, as the search that it is about. */
export type CheckedExplain =
  | { readonly mode: 'lexical'; readonly search: CheckedRequest }
  | ({ readonly mode: 'semantic' } & CheckedSemantic)
  | ({ readonly mode: 'hybrid' } & CheckedHybrid);

const MODES: readonly SearchMode[] = ['lexical', 'semantic', 'hybrid'];
const part: Check = record({ name: text, value: text }, ['name', 'value']);
const parts: Check = list(part, LIMITS.keyColumns);
const FIELDS: Readonly<Record<keyof ExplainRequest, Check>> = {
  index: SEARCH_FIELDS.index,
  mode: oneOf(...MODES),
  query: SEARCH_FIELDS.query,
  ast: SEARCH_FIELDS.ast,
  syntax: SEARCH_FIELDS.syntax,
  default_operator: SEARCH_FIELDS.default_operator,
  filter: SEARCH_FIELDS.filter,
  sort: SEARCH_FIELDS.sort,
  limit: SEARCH_FIELDS.limit,
  offset: SEARCH_FIELDS.offset,
  pit_id: SEARCH_FIELDS.pit_id,
  ...NEAREST_FIELDS,
  ...FUSION_FIELDS,
  coordinates: record({ partition: parts, identifier: parts }, ['identifier']),
};

/** Checks a request to explain. Throws invalid_argument or limit_exceeded that name the field. */
export function checkExplainRequest(request: ExplainRequest): CheckedExplain {
  record(FIELDS, ['coordinates'])(request, '');
  const { coordinates: _, mode = 'lexical', ...search } = request;
  for (const name of Object.keys(search) as (keyof typeof search)[]) {
    const needs = search[name] === undefined ? null : modeOf(name);
    if (needs === null || needs.includes(mode)) continue;
    const message = `"${name}" does not go with mode "${mode}"`;
    throw new LhsError('invalid_argument', message, { hint: `it goes with ${needs.join(', ')}` });
  }
  if (mode === 'semantic') return { mode, ...checkSemanticRequest(search) };
  if (mode === 'hybrid') return { mode, ...checkHybridRequest(search) };
  return { mode, search: checkRequest(search) };
}

/** The modes that a field goes with; null: all. */
function modeOf(field: string): readonly SearchMode[] | null {
  if (field === 'query' || field === 'ast') return ['lexical'];
  if (Object.hasOwn(FUSION_FIELDS, field)) return ['hybrid'];
  return Object.hasOwn(NEAREST_FIELDS, field) ? ['semantic', 'hybrid'] : null;
}
