import { type Json, type JsonObject, textOfJson } from '@lakehouse-search/contract';
import { cutText, tokensOfJson } from './tokens.ts';

/** Values that were made to fit, and the names of those that were cut. */
export interface Fitted {
  readonly values: JsonObject;
  readonly cut: readonly string[];
}

/** Tokens of a short value: it is never cut. */
const SHORT_TOKENS = 12;

/** Values of which each has at most so many tokens. A cut value is a text with an ellipsis. */
export function fitEach(values: JsonObject, mostTokens: number): Fitted {
  const cut: string[] = [];
  const entries = Object.entries(values).map(([name, value]): [string, Json] => {
    if (tokensOfJson(value) <= Math.max(SHORT_TOKENS, mostTokens)) return [name, value];
    const text = cutText(typeof value === 'string' ? value : textOfJson(value), mostTokens);
    // the quotes of JSON alone may have been too many
    if (text === value) return [name, value];
    cut.push(name);
    return [name, text];
  });
  return { values: Object.fromEntries(entries), cut };
}

/**
 * Values that have at most so many tokens together: the longest are cut first. undefined if they do
 * not fit although each is cut to a short text.
 */
export function fitTogether(values: JsonObject, mostTokens: number): Fitted | undefined {
  for (let each = mostTokens; each >= SHORT_TOKENS; each = Math.floor(each / 2)) {
    const fitted = fitEach(values, each);
    if (tokensOfJson(fitted.values) <= mostTokens) return fitted;
  }
  return undefined;
}
