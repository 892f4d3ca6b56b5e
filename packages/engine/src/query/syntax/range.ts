import type { Bound } from '../query.ts';
import { endsBound, isSpace } from './characters.ts';
import type { Lexer } from './lexer.ts';
import type { Token } from './token.ts';

const HINT =
  'ranges are written field:[lo TO hi], with { } for exclusive bounds and * for an open one';

/**
 * `[lo TO hi]` with any mix of `[`, `{`, `]`, `}`; a bound is a word (colons and slashes included),
 * a quoted string or `*`. Bounds that are open are absent from the token. Throws invalid_query.
 */
export function lexRange(lexer: Lexer, from: number): Token {
  const { text } = lexer;
  const lower = readBound(lexer, skip(text, from + 1), from, text[from] === '[');
  const word = skip(text, lower.to);
  const joined =
    text.slice(word, word + 2).toUpperCase() === 'TO' && isSpace(text.charCodeAt(word + 2));
  if (!joined || word === lower.to) {
    throw lexer.error(
      from,
      Math.max(word, from + 1),
      'expected "TO" between the bounds of a range',
      HINT,
    );
  }
  const begin = skip(text, word + 2);
  const upper = readBound(lexer, begin, from, true);
  const close = skip(text, upper.to);
  const mark = text[close];
  if (mark !== ']' && mark !== '}') {
    throw lexer.error(from, Math.min(close + 1, text.length), 'the range is never closed', HINT);
  }
  const token = { kind: 'range', from, to: close + 1 } as const;
  const sides: { lower?: Bound; upper?: Bound } = {};
  if (lower.bound !== undefined) sides.lower = lower.bound;
  if (upper.bound !== undefined)
    sides.upper = { value: upper.bound.value, inclusive: mark === ']' };
  return { ...token, ...sides };
}

function readBound(
  lexer: Lexer,
  from: number,
  range: number,
  inclusive: boolean,
): { bound: Bound | undefined; to: number } {
  const { text } = lexer;
  const quoted = lexer.readQuoted(from);
  if (quoted !== undefined) return { bound: { value: quoted.text, inclusive }, to: quoted.to };
  const run = lexer.run(from, endsBound);
  if (run.to === from) {
    throw lexer.error(
      range,
      Math.min(from + 1, text.length),
      'a bound of the range is missing',
      HINT,
    );
  }
  if (run.pattern === '*') return { bound: undefined, to: run.to };
  if (run.wildcards > 0) {
    throw lexer.error(from, run.to, `"${run.pattern}" is no bound: it has a wildcard`, HINT);
  }
  return { bound: { value: run.text, inclusive }, to: run.to };
}

function skip(text: string, at: number): number {
  let next = at;
  while (next < text.length && isSpace(text.charCodeAt(next))) next++;
  return next;
}
