import { createHash } from 'node:crypto';
import { type JsonObject, LhsError } from '@lakehouse-search/contract';

/**
 * Where a call goes on: items that were shown, and a mark of the snapshots that they were read
 * from.
 */
export interface Cursor {
  readonly offset: number;
  readonly state: string | null;
}

const START: Cursor = Object.freeze({ offset: 0, state: null });
const FORM = /^([0-9a-f]{8})\.(\d{1,9})(?:\.([0-9a-f]{6}))?$/;

/** The cursor of a call. Throws invalid_argument for one of another call. */
export function readCursor(text: string | undefined, call: JsonObject): Cursor {
  if (text === undefined || text === '') return START;
  const [, mark, offset, state = null] = FORM.exec(text) ?? [];
  if (mark === markOf(call)) return { offset: Number(offset), state };
  const message = `"cursor" is ${JSON.stringify(text.slice(0, 60))}: it belongs to another call`;
  const hint = 'repeat the arguments of the response that contained it, or leave the cursor out';
  throw new LhsError('invalid_argument', message, { hint });
}

/** The cursor's text, for the same call. */
export const cursorText = ({ offset, state }: Cursor, call: JsonObject): string =>
  [markOf(call), offset, ...(state === null ? [] : [state])].join('.');

/** What tells the snapshots of answers apart. */
export const stateMark = (snapshots: readonly (string | null)[]): string =>
  hashText(snapshots.join()).slice(0, 6);

/** What tells calls apart: their arguments but those of the page. */
function markOf({ cursor: _, max_tokens: __, limit: ___, ...call }: JsonObject): string {
  const entries = Object.entries(call).sort(([a], [b]) => (a < b ? -1 : 1));
  return hashText(JSON.stringify(entries)).slice(0, 8);
}

const hashText = (text: string) => createHash('sha256').update(text).digest('hex');
