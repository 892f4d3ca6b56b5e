import type { TokenSink } from '../analyzer.ts';
import type { Tokenizer } from '../pipeline.ts';
import { tokenizeWhitespace } from './runs.ts';

/** The byte offsets at which the code points of text[from .. to) begin, and the end. */
function starts(text: Uint8Array, from: number, to: number): number[] {
  const out: number[] = [];
  for (let i = from; i < to; i++) if ((text[i] & 0xc0) !== 0x80) out.push(i);
  out.push(to);
  return out;
}

/**
 * All pieces of `min` to `max` code points of what stands between white space. A piece's position
 * is the place where it begins, so that a phrase of pieces finds any part of a word that has `min`
 * characters or more.
 */
export function ngrams(min: number, max: number): Tokenizer {
  return (text, from, to, position, sink) => {
    let next = position;
    const pieces: TokenSink = {
      token(b, start, end) {
        const at = starts(b, start, end);
        for (let i = 0; i + min < at.length; i++, next++) {
          for (let n = min; n <= max && i + n < at.length; n++) {
            sink.token(b, at[i], at[i + n], next, at[i], at[i + n]);
          }
        }
      },
    };
    tokenizeWhitespace(text, from, to, 0, pieces);
    return next;
  };
}

/**
 * The beginnings, `min` to `max` code points long, of what stands between white space, all at the
 * word's position.
 */
export function edgeNgrams(min: number, max: number): Tokenizer {
  return (text, from, to, position, sink) =>
    tokenizeWhitespace(text, from, to, position, {
      token(b, start, end, place) {
        const at = starts(b, start, end);
        for (let n = min; n <= max && n < at.length; n++) {
          sink.token(b, start, at[n], place, start, at[n]);
        }
      },
    });
}
