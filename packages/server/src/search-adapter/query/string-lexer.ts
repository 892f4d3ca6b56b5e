/** Query strings of the imitated engine -> tokens. */
import { clipped, RefusedDsl } from './refusal.ts';

/** A token; `sign`: it stands directly before a clause. */
export type StringToken =
  | { readonly kind: 'and' | 'or' | 'plus' | 'not' | 'open' | 'close' | 'end' }
  | { readonly kind: 'field'; readonly name: string }
  | {
      readonly kind: 'word';
      readonly text: string;
      /** The text with backslashes before `*`, `?` and `\` that are characters. */
      readonly pattern: string;
      readonly wildcards: number;
    }
  | { readonly kind: 'phrase' | 'regex'; readonly text: string }
  | { readonly kind: 'range'; readonly text: string }
  | { readonly kind: 'compare'; readonly sign: string }
  | { readonly kind: 'tilde' | 'boost'; readonly number: number | undefined };

/** The error of a query string that is not one. */
export const unparsed = (text: string): RefusedDsl =>
  new RefusedDsl({
    status: 400,
    type: 'query_shard_exception',
    reason: `Failed to parse query [${clipped(text)}]`,
  });

const SIGNS: ReadonlyMap<string, StringToken> = new Map<string, StringToken>([
  ['&&', { kind: 'and' }],
  ['||', { kind: 'or' }],
  ['(', { kind: 'open' }],
  [')', { kind: 'close' }],
  ['+', { kind: 'plus' }],
  ['-', { kind: 'not' }],
  ['!', { kind: 'not' }],
]);
const WORDS: ReadonlyMap<string, StringToken> = new Map<string, StringToken>([
  ['AND', { kind: 'and' }],
  ['OR', { kind: 'or' }],
  ['NOT', { kind: 'not' }],
]);
const SPACE = /[\s\u3000]*/y;
const SIGN = /&&|\|\||[()+\-!]/y;
const WORD = /(?:\\[\s\S]|[^\s\u3000+\-!():^[\]"{}~\\/])(?:\\[\s\S]|[^\s\u3000!():^[\]"{}~\\/])*/y;
const PHRASE = /"((?:\\[\s\S]|[^"\\])*)"/y;
const REGEX = /\/((?:\\[\s\S]|[^/\\])*)\//y;
const RANGE = /[[{](?:"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\]}"\\])*[\]}]/y;
const SUFFIX = /([~^])(\d+(?:\.\d+)?)?/y;
const COMPARE = /[<>]=?/y;

/** All tokens of a text, `end` behind them. Throws RefusedDsl. */
export function stringTokens(text: string): readonly StringToken[] {
  const tokens: StringToken[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  for (take(SPACE); at < text.length; take(SPACE)) {
    const inValue = tokens.at(-1)?.kind === 'field';
    tokens.push(nextToken(take, inValue, () => text[at] === ':' && ++at > 0, text));
  }
  return [...tokens, { kind: 'end' }];
}

type Take = (pattern: RegExp) => RegExpExecArray | null;

function nextToken(
  take: Take,
  inValue: boolean,
  takesColon: () => boolean,
  text: string,
): StringToken {
  const sign = take(SIGN)?.[0];
  if (sign !== undefined) return SIGNS.get(sign)!;
  const phrase = take(PHRASE);
  if (phrase !== null) return { kind: 'phrase', text: unescaped(phrase[1]) };
  const regex = take(REGEX);
  if (regex !== null) return { kind: 'regex', text: regex[1].replace(/\\\//g, '/') };
  const range = take(RANGE);
  if (range !== null) return { kind: 'range', text: range[0] };
  const suffix = take(SUFFIX);
  if (suffix !== null) {
    const number = suffix[2] === undefined ? undefined : Number(suffix[2]);
    return { kind: suffix[1] === '~' ? 'tilde' : 'boost', number };
  }
  const compare = inValue ? take(COMPARE) : null;
  if (compare !== null) return { kind: 'compare', sign: compare[0] };
  const word = take(WORD)?.[0];
  if (word === undefined) throw unparsed(text);
  if (takesColon()) return { kind: 'field', name: unescaped(word) };
  return WORDS.get(word) ?? wordToken(word);
}

function wordToken(word: string): StringToken {
  let pattern = '';
  let wildcards = 0;
  for (let i = 0; i < word.length; i++) {
    const c = word[i];
    if (c === '\\') {
      const next = word[++i];
      pattern += '*?\\'.includes(next) ? `\\${next}` : next;
    } else {
      if (c === '*' || c === '?') wildcards++;
      pattern += c;
    }
  }
  return { kind: 'word', text: unescaped(word), pattern, wildcards };
}

/** The characters that backslashes stand before. */
export const unescaped = (text: string): string => text.replace(/\\([\s\S])/g, '$1');
