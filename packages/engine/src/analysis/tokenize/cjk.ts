import type { Tokenizer } from '../pipeline.ts';
import { decodePoint, lengthOf, pointOf } from '../unicode/utf8.ts';
import { tokenizeStandard } from './standard.ts';

const SCRIPTS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\uff70\u3005]$/u;

/**
 * Chinese, Japanese and Korean runs as overlapping groups of `size` characters, each at its own
 * position (a shorter run is one token); everything between them as `standard` words. Groups need
 * no dictionary: the groups of a query word are a phrase, which finds every word of at least `size`
 * characters.
 */
export const cjkGroups =
  (size: number): Tokenizer =>
  (text, from, to, position, sink) => {
    let next = position;
    let plain = from;
    for (let at = from; at < to; ) {
      const run = readRun(text, at, to);
      if (run.length === 1) {
        at += lengthOf(decodePoint(text, at, to));
        continue;
      }
      next = tokenizeStandard(text, plain, at, next, sink);
      for (let i = 0; i + size < Math.max(run.length, size + 1); i++) {
        const end = run[Math.min(i + size, run.length - 1)];
        sink.token(text, run[i], end, next++, run[i], end);
      }
      at = run[run.length - 1];
      plain = at;
    }
    return tokenizeStandard(text, plain, to, next, sink);
  };

/**
 * Where the characters of the run at text[at] begin, and its end; a single entry when there is
 * none.
 */
function readRun(text: Uint8Array, at: number, to: number): number[] {
  const places = [at];
  let end = at;
  while (end < to && text[end] >= 0xe1) {
    const decoded = decodePoint(text, end, to);
    if (!SCRIPTS.test(String.fromCodePoint(pointOf(decoded)))) break;
    end += lengthOf(decoded);
    places.push(end);
  }
  return places;
}
