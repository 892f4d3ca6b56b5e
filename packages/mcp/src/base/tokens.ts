import type { Json } from '@lakehouse-search/contract';
import { visibleText } from './visible.ts';

/** Characters of English text and JSON per token, about. */
const CHARS_PER_TOKEN = 4;

/**
 * An estimate: one token per four ASCII characters, and one per other character, of a text as it is
 * shown.
 */
export function tokensOf(written: string): number {
  const text = visibleText(written);
  let others = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) others++;
  return Math.ceil((text.length - others) / CHARS_PER_TOKEN) + others;
}

/** The tokens of a value as JSON. */
export const tokensOfJson = (value: Json): number => tokensOf(JSON.stringify(value));

/** The start of a text that has at most so many tokens, with an ellipsis if it was cut. */
export function cutText(text: string, mostTokens: number): string {
  if (tokensOf(text) <= mostTokens) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tokensOf(text.slice(0, middle)) < mostTokens) low = middle;
    else high = middle - 1;
  }
  const isSplit = /[\uD800-\uDBFF]$/.test(text.slice(0, low));
  return `${text.slice(0, isSplit ? low - 1 : low)}…`;
}
