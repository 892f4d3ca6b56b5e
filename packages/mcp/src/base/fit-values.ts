import type { Json, JsonObject } from '@lakehouse-search/contract';
import { textOfJson } from '@lakehouse-search/contract/internal';
import { cutText, tokensOfJson } from './tokens.ts';

/** Values that were made to fit, and the names of those that were cut. */
export interface Fitted {
  readonly values: JsonObject;
  readonly cut: readonly string[];
}

/** Tokens of a short value: it is never cut. */
const SHORT_TOKENS = 12;

/**
 * Values of which each has at most so many tokens. A cut list has its first values, the `marked`
 * one and the number of the others; another cut value is a text with an ellipsis.
 */
export function fitEach(values: JsonObject, mostTokens: number, marked: JsonObject = {}): Fitted {
  const cut: string[] = [];
  const entries = Object.entries(values).map(([name, value]): [string, Json] => {
    if (tokensOfJson(value) <= Math.max(SHORT_TOKENS, mostTokens)) return [name, value];
    const list = Array.isArray(value) ? cutList(value, mostTokens, marked[name]) : undefined;
    if (list !== undefined) {
      cut.push(name);
      return [name, list];
    }
    const text = cutText(typeof value === 'string' ? value : textOfJson(value), mostTokens);
    // the quotes of JSON alone may have been too many
    if (text === value) return [name, value];
    cut.push(name);
    return [name, text];
  });
  return { values: Object.fromEntries(entries), cut };
}

/** As many first values as fit beside the marked one; undefined: not one fits. */
function cutList(
  list: readonly Json[],
  mostTokens: number,
  marked: Json | undefined,
): readonly Json[] | undefined {
  const found = `${marked ?? ''}`.replace(/[«»]/g, '');
  const at = list.findIndex((value) => found !== '' && value === found);
  const cutTo = (count: number) => {
    const first = list.slice(0, count);
    const shown = at < count ? first : [...first, list[at]];
    const left = list.length - shown.length;
    return left === 0 ? shown : [...shown, `… ${left} more`];
  };
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tokensOfJson(cutTo(middle)) <= mostTokens) low = middle;
    else high = middle - 1;
  }
  const shown = cutTo(low);
  return shown.length > 1 && tokensOfJson(shown) <= mostTokens ? shown : undefined;
}

/**
 * Values that have at most so many tokens together: the longest are cut first. undefined if they do
 * not fit although each is cut to a short text.
 */
export function fitTogether(
  values: JsonObject,
  mostTokens: number,
  marked: JsonObject = {},
): Fitted | undefined {
  for (let each = mostTokens; each >= SHORT_TOKENS; each = Math.floor(each / 2)) {
    const fitted = fitEach(values, each, marked);
    if (tokensOfJson(fitted.values) <= mostTokens) return fitted;
  }
  return undefined;
}
