import { createHash } from 'node:crypto';
import { type JsonObject, LhsError } from '@lakehouse-search/contract';

/**
 * Where a call goes on: items that were shown, and the snapshot that they were read from; of
 * several indexes, their snapshots with dashes between them.
 */
export interface Cursor {
  readonly offset: number;
  readonly snapshot: string | null;
}

const START: Cursor = Object.freeze({ offset: 0, snapshot: null });
const FORM = /^([0-9a-f]{12})\.(\d{1,9})\.([\d-]{0,500})$/;

/** The cursor of a call. Throws invalid_argument for one of another call. */
export function readCursor(text: string | undefined, call: JsonObject): Cursor {
  if (text === undefined || text === '') return START;
  const [, mark, offset, snapshot] = FORM.exec(text) ?? [];
  if (mark === markOf(call)) return { offset: Number(offset), snapshot: snapshot || null };
  const message = `"cursor" is ${JSON.stringify(text.slice(0, 60))}: it belongs to another call`;
  const hint = 'repeat the arguments of the response that contained it, or leave the cursor out';
  throw new LhsError('invalid_argument', message, { hint });
}

/** The cursor's text, for the same call. */
export const cursorText = ({ offset, snapshot }: Cursor, call: JsonObject): string =>
  `${markOf(call)}.${offset}.${snapshot ?? ''}`;

/** What tells calls apart: their arguments but those of the page. */
function markOf({ cursor: _, max_tokens: __, limit: ___, ...call }: JsonObject): string {
  const text = JSON.stringify(Object.entries(call).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
