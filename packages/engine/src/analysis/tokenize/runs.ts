/** Tokenizers that cut text into runs of characters of a kind. */
import type { Tokenizer } from '../pipeline.ts';
import { decodePoint, lengthOf, pointOf } from '../unicode/utf8.ts';

/** By code point of the basic plane: 0 unknown, 1 outside, 2 inside. */
type Known = Uint8Array;

/**
 * A tokenizer whose tokens are the longest runs of code points that the test takes. The test is
 * asked once a code point.
 */
export function runsOf(inside: (character: string) => boolean): Tokenizer {
  const known: Known = new Uint8Array(0x10000);
  const holds = (point: number): boolean => {
    if (point > 0xffff) return inside(String.fromCodePoint(point));
    if (known[point] === 0) known[point] = inside(String.fromCodePoint(point)) ? 2 : 1;
    return known[point] === 2;
  };
  return (text, from, to, position, sink) => {
    let next = position;
    let start = -1;
    for (let at = from; at < to; ) {
      const decoded = decodePoint(text, at, to);
      if (!holds(pointOf(decoded))) {
        if (start >= 0) sink.token(text, start, at, next++, start, at);
        start = -1;
      } else if (start < 0) start = at;
      at += lengthOf(decoded);
    }
    if (start >= 0) sink.token(text, start, to, next++, start, to);
    return next;
  };
}

/** Everything between white space. */
export const tokenizeWhitespace: Tokenizer = runsOf((c) => !/^\s$/u.test(c));

/** Runs of letters and the marks on them. */
export const tokenizeLetters: Tokenizer = runsOf((c) => /^[\p{Alphabetic}\p{M}]$/u.test(c));

/** The whole text, if there is any, as one token. */
export const tokenizeKeyword: Tokenizer = (text, from, to, position, sink) => {
  if (to <= from) return position;
  sink.token(text, from, to, position, from, to);
  return position + 1;
};
