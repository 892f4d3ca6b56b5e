import { LhsError } from '@lakehouse-search/contract';
import { tokensOfJson } from '../../base/tokens.ts';

/** Which part of a long text is read: from a character on, or lines from 1 on. */
export interface TextRange {
  readonly from?: number | undefined;
  readonly lines?: string | undefined;
}

/** A part of a text: characters `from` to `to` of `of`. */
export interface TextPart {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

/** The requested part of a text, as far as a number of tokens goes. Throws invalid_argument. */
export function partOf(value: string, { from, lines }: TextRange, mostTokens: number): TextPart {
  const [first, last] = lines === undefined ? [0, value.length] : charactersOf(value, lines);
  const start = onCharacter(value, Math.min(Math.max(first, from ?? 0), last));
  let [low, high] = [start, last];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tokensOfJson(value.slice(start, middle)) <= mostTokens) low = middle;
    else high = middle - 1;
  }
  // at least one character, so that a reader gets to the end
  const to = onCharacter(value, Math.min(last, Math.max(low, start + 2)));
  return { text: value.slice(start, to), from: start, to, of: value.length };
}

/** A place that is not inside of a character. */
const onCharacter = (value: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(value.charAt(at)) && at > 0 ? at - 1 : at;

function charactersOf(value: string, lines: string): readonly [from: number, to: number] {
  const [, first, last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(lines) ?? [];
  const [low, high] = [Number(first), Number(last)];
  if (first === undefined || low < 1 || high < low) {
    const message = `"lines" is ${JSON.stringify(lines.slice(0, 60))}`;
    throw new LhsError('invalid_argument', message, { hint: 'write a range such as 100-180' });
  }
  let line = 1;
  let from = low === 1 ? 0 : value.length;
  for (let at = value.indexOf('\n'); at >= 0; at = value.indexOf('\n', at + 1)) {
    line++;
    if (line === low) from = at + 1;
    if (line === high + 1) return [from, at + 1];
  }
  return [from, value.length];
}
