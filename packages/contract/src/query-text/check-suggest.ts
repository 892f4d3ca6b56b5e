/** Requests for suggestions. */
import { INDEX_FIELDS, name } from '../checks/shared.ts';
import { type Fields, flag, requestOf, textUpTo, whole } from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { SuggestRequest } from './request.ts';

const SUGGEST_FIELDS: Fields<SuggestRequest> = {
  ...INDEX_FIELDS,
  field: name,
  text: textUpTo(REQUEST_LIMITS.queryBytes),
  limit: whole(0, REQUEST_LIMITS.suggestions),
  fuzzy: flag,
  max_edits: whole(0, REQUEST_LIMITS.fuzzyEdits),
};
/** A request for suggestions whose shape is right; no text is the empty one. */
export type CheckedSuggest = SuggestRequest & { readonly text: string };

const readSuggest = requestOf<SuggestRequest>(SUGGEST_FIELDS, 'field');

/** Checks a request for suggestions. Throws invalid_argument or limit_exceeded. */
export function checkSuggestRequest(value: unknown): CheckedSuggest {
  const request = readSuggest(value);
  if (request.max_edits !== undefined && request.fuzzy !== true) {
    throw new LhsError('invalid_argument', '"max_edits" needs "fuzzy": true');
  }
  return { ...request, text: request.text ?? '' };
}
