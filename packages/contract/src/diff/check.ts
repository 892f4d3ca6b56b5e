/** Requests that compare the hits of two moments. */
import { name } from '../checks/shared.ts';
import { type Fields, flag, requestOf, whole } from '../checks/values.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import { MATCH_FIELDS } from '../search/check.ts';
import type { DiffRequest } from './request.ts';

const FIELDS: Fields<DiffRequest> = {
  index: MATCH_FIELDS.index,
  query: MATCH_FIELDS.query,
  ast: MATCH_FIELDS.ast,
  syntax: MATCH_FIELDS.syntax,
  default_operator: MATCH_FIELDS.default_operator,
  filter: MATCH_FIELDS.filter,
  from: name,
  to: name,
  limit: whole(1, REQUEST_LIMITS.diffedHits),
  plan: flag,
};

/** Checks a request for a diff. Throws invalid_argument or limit_exceeded. */
export const checkDiffRequest = requestOf<DiffRequest>(FIELDS, 'from');
