/** Requests for suggestions. */
import type { SuggestRequest } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { type Fields, flag, requestOf, textUpTo, whole } from './checks.ts';
import { INDEX_FIELDS, name } from './wire.ts';

const SUGGEST_FIELDS: Fields<SuggestRequest> = {
  ...INDEX_FIELDS,
  field: name,
  text: textUpTo(LIMITS.queryBytes),
  limit: whole(0, LIMITS.suggestions),
  fuzzy: flag,
  max_edits: whole(0, LIMITS.fuzzyEdits),
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
