/** Requests for saved queries. */
import { name } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  object,
  oneOf,
  requestOf,
  text,
  utf8Length,
  wrong,
} from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import { checkSearchOf } from '../search/check-nearest.ts';
import type { ModeRequest } from '../search/request.ts';
import type {
  DeleteSavedQueryRequest,
  ReplaceSavedQueryRequest,
  SavedQueryDraft,
} from './request.ts';

const NAME_CHARS = 128;
const DESCRIPTION_CHARS = 1000;

const line: Check = (value, field) => {
  text(value, field);
  const own = value as string;
  const fits = own.trim() === own && own !== '' && own.length <= NAME_CHARS;
  if (fits && !/\p{Cc}/u.test(own)) return;
  throw wrong(field, value, `one line of 1 to ${NAME_CHARS} characters`);
};
const description: Check = (value, field) => {
  text(value, field);
  if ((value as string).length <= DESCRIPTION_CHARS) return;
  throw wrong(field, value, `a text of at most ${DESCRIPTION_CHARS} characters`);
};
const DRAFT_FIELDS: Fields<SavedQueryDraft> = {
  name: line,
  description,
  mode: oneOf('lexical', 'semantic', 'hybrid'),
  request: object,
};
const REPLACE_FIELDS: Fields<ReplaceSavedQueryRequest> = { ...DRAFT_FIELDS, id: name };
const readDraft = requestOf<SavedQueryDraft>(DRAFT_FIELDS, 'name', 'request');
const readReplace = requestOf<ReplaceSavedQueryRequest>(REPLACE_FIELDS, 'name', 'request', 'id');

/**
 * Checks a draft: names, sizes, and the request as a search's of its mode. Throws invalid_argument
 * or limit_exceeded.
 */
export function checkSavedQueryDraft(value: unknown): SavedQueryDraft {
  return checkSaved(readDraft(value));
}

/** The same for a draft that replaces a saved query. */
export function checkReplaceSavedQuery(value: unknown): ReplaceSavedQueryRequest {
  return checkSaved(readReplace(value));
}

/** Checks a request to forget a saved query. Throws invalid_argument. */
export const checkDeleteSavedQuery = requestOf<DeleteSavedQueryRequest>({ id: name }, 'id');

/** The search that a checked draft or a saved query describes. */
export const searchOfSaved = ({ mode = 'lexical', request }: SavedQueryDraft): ModeRequest =>
  ({ mode, request }) as ModeRequest;

function checkSaved<T extends SavedQueryDraft>(draft: T): T {
  const { request } = draft;
  checkSearchOf(draft.mode ?? 'lexical', request);
  const passing = (['pit_id', 'search_after'] as const).find((key) => request[key] !== undefined);
  if (passing !== undefined) {
    const message = `"request.${passing}" does not last: a saved query goes without it`;
    throw new LhsError('invalid_argument', message);
  }
  const bytes = jsonBytes(request);
  if (bytes <= REQUEST_LIMITS.savedQueryBytes) return draft;
  const message = `"request" has ${bytes} bytes: at most ${REQUEST_LIMITS.savedQueryBytes}`;
  throw new LhsError('limit_exceeded', message);
}

/** Throws invalid_argument for what JSON cannot hold: big integers, cycles. */
function jsonBytes(request: SavedQueryDraft['request']): number {
  try {
    return utf8Length(JSON.stringify(request));
  } catch {
    throw wrong('request', request, 'JSON');
  }
}
