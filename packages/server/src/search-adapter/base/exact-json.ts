import type { Json } from '@lakehouse-search/contract';
import { endOfString } from '@lakehouse-search/contract/internal';
import { bodyValue } from '../../rest/read-body.ts';

/** Numbers that a double may round have as many digits. */
const LONG_DIGITS = /\d{16}/;

/**
 * The value of a JSON text. Whole numbers that a double does not hold exactly become texts of
 * their digits, which queries, `search_after` and bounds read as numbers. Throws as `bodyValue`.
 */
export const exactJson = (text: string, what: string): Json | Promise<Json> =>
  bodyValue(text, what, (own) => (LONG_DIGITS.test(own) ? withQuotedNumbers(own) : own));

/**
 * The text with quotes around the whole numbers that a double would round. A text that is no JSON
 * stays one: what could not be a number or would become a name gets no quotes.
 */
function withQuotedNumbers(text: string): string {
  const signs = /"|(?<![\w.+-])-?[1-9]\d{15,}(?![\w.]|\s*:)/g;
  const parts: string[] = [];
  let from = 0;
  for (let found = signs.exec(text); found !== null; found = signs.exec(text)) {
    const [sign] = found;
    if (sign === '"') {
      const end = endOfString(text, found.index + 1);
      if (end < 0) break;
      signs.lastIndex = end + 1;
    } else if (!Number.isSafeInteger(Number(sign))) {
      parts.push(text.slice(from, found.index), `"${sign}"`);
      from = signs.lastIndex;
    }
  }
  return parts.join('') + text.slice(from);
}
