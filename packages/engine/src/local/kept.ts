import type { Alias, SavedQueryDraft } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { wasDropped } from '../registry/registry.ts';
import { checkRequest } from '../search/request.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** Whose the saved queries of the embedded engine are: whoever has the data folder. */
export const LOCAL_OWNER = '';

const DRAFT_FIELDS: readonly string[] = ['name', 'description', 'request'];
const NAME_CHARS = 128;
const DESCRIPTION_CHARS = 1000;

/** Lets an alias mean an index. Throws index_not_found, index_exists, invalid_argument. */
export function setAlias({ registry }: LocalIndexes, { alias, index }: Alias): Alias {
  const target = registry.get(index);
  if (!registry.aliases.set(alias, target.uuid)) throw wasDropped(target.name);
  return { alias, index: target.name };
}

/**
 * A draft whose every part is checked: names, sizes, and the request as a search would. Its index
 * need not be there yet. Throws invalid_argument, limit_exceeded.
 */
export function checkDraft(draft: SavedQueryDraft): SavedQueryDraft {
  const unknown = Object.keys(draft).find((field) => !DRAFT_FIELDS.includes(field));
  if (unknown !== undefined) throw invalid(`unknown field "${unknown}"`, DRAFT_FIELDS.join(', '));
  const { name, description, request } = draft;
  if (typeof name !== 'string' || !isLine(name, NAME_CHARS)) {
    throw invalid(`"name" is ${JSON.stringify(name)}`, `one line of 1 to ${NAME_CHARS} characters`);
  }
  const described = description === undefined || typeof description === 'string';
  if (!described || (description?.length ?? 0) > DESCRIPTION_CHARS) {
    throw invalid(
      '"description" does not fit',
      `a text of at most ${DESCRIPTION_CHARS} characters`,
    );
  }
  checkRequest(request);
  const passing = (['pit_id', 'search_after'] as const).find((key) => request[key] !== undefined);
  if (passing !== undefined) {
    throw invalid(`"request.${passing}" does not last`, 'a request without it');
  }
  const bytes = Buffer.byteLength(JSON.stringify(request));
  if (bytes > LIMITS.savedQueryBytes) {
    const message = `"request" has ${bytes} bytes: at most ${LIMITS.savedQueryBytes}`;
    throw new LhsError('limit_exceeded', message);
  }
  return { name, ...(description === undefined ? {} : { description }), request };
}

const isLine = (text: string, most: number): boolean =>
  text.trim() === text && text !== '' && text.length <= most && !/\p{Cc}/u.test(text);

const invalid = (what: string, expected: string): LhsError =>
  new LhsError('invalid_argument', `saved query: ${what}: expected ${expected}`);
