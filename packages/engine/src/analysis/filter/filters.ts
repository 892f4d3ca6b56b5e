/** The filters that look at tokens or pieces of them without changing letters. */
import type { TokenSink } from '../analyzer.ts';
import type { Filter, Stage } from '../pipeline.ts';
import { withoutParticles } from './korean.ts';

type Step = (
  next: TokenSink,
  bytes: Uint8Array,
  from: number,
  to: number,
  position: number,
  start: number,
  end: number,
) => void;

/** A filter of one step without a memory. */
const stepping = (step: Step): Filter =>
  Object.freeze({
    kind: 'sink',
    attach: (next: TokenSink): TokenSink => ({
      token: (b, from, to, position, start, end) => step(next, b, from, to, position, start, end),
    }),
  });

/** A filter that puts another word in a word's place; an empty one drops it. */
const mapping = (map: (word: string) => string): Filter => Object.freeze({ kind: 'map', map });

/** Words replaced by their stems; `version` names which (`stemsVersion`). */
export const stemmer = (stem: (word: string) => string, version?: string): Filter =>
  Object.freeze({ kind: 'map', map: stem, version, isStemmer: true });

/** Drops the words of a list; their positions stay empty. */
export function stop(words: readonly string[]): Filter {
  const list = new Set(words);
  return mapping((word) => (list.has(word) ? '' : word));
}

/** Takes the English `'s` off words (with a straight, curly or wide apostrophe). */
export const possessive: Filter = mapping((word) => word.replace(/['\u2019\uff07][sS]$/, ''));

/** Takes an elided article off words: `l'avion` is `avion`. Curly apostrophes are apostrophes. */
export function elision(articles: readonly string[]): Filter {
  const list = new Set(articles);
  return mapping((word) => {
    const at = word.search(/['\u2019]/);
    return at > 0 && list.has(word.slice(0, at)) ? word.slice(at + 1) : word;
  });
}

/** Takes the particles off Korean words. */
export const koreanParticles: Filter = mapping(withoutParticles);

/** How many code points bytes[from .. to) are. */
function countPoints(bytes: Uint8Array, from: number, to: number): number {
  let points = 0;
  for (let i = from; i < to; i++) if ((bytes[i] & 0xc0) !== 0x80) points++;
  return points;
}

/** Where the first `points` code points of bytes[from .. to) end. */
function pointsEnd(bytes: Uint8Array, from: number, to: number, points: number): number {
  let left = points + 1;
  for (let i = from; i < to; i++) if ((bytes[i] & 0xc0) !== 0x80 && --left === 0) return i;
  return to;
}

/** Drops words with fewer than `min` or more than `max` code points. */
export const length = (min: number, max: number): Filter =>
  stepping((next, b, from, to, position, start, end) => {
    const points = countPoints(b, from, to);
    if (points >= min && points <= max) next.token(b, from, to, position, start, end);
  });

/** Keeps the first `most` code points of a word. */
export const truncate = (most: number): Filter =>
  stepping((next, b, from, to, position, start, end) => {
    next.token(b, from, pointsEnd(b, from, to, most), position, start, end);
  });

/**
 * The beginnings of a word, `min` to `max` code points long, all at its position. Shorter words are
 * dropped.
 */
export const edgeNgram = (min: number, max: number): Filter =>
  stepping((next, b, from, to, position, start, end) => {
    const points = countPoints(b, from, to);
    for (let n = min; n <= Math.min(max, points); n++) {
      next.token(b, from, pointsEnd(b, from, to, n), position, start, end);
    }
  });

/** Drops a token that stood at the same position before. */
export const unique: Filter = Object.freeze({
  kind: 'sink',
  attach: (next: TokenSink): Stage => {
    let last = -1;
    let first = '';
    const more = new Set<string>();
    return {
      reset() {
        last = -1;
      },
      token(b, from, to, position, start, end) {
        const text = Buffer.from(b.buffer, b.byteOffset + from, to - from).toString('latin1');
        if (position !== last) {
          if (more.size > 0) more.clear();
          first = text;
          last = position;
        } else if (text === first || more.has(text)) return;
        else more.add(text);
        next.token(b, from, to, position, start, end);
      },
    };
  },
});

/**
 * Wide Latin letters and figures as plain ones, narrow Katakana as wide ones (what NFKC does to
 * U+FF00 to U+FFEF).
 */
const foldWidth = (text: string): string =>
  text.replace(/[\uff00-\uffef]+/g, (run) => run.normalize('NFKC'));

/** The filter; words without such forms (UTF-8 with a lead byte EF) are passed on untouched. */
export const width: Filter = Object.freeze({
  kind: 'sink',
  attach: (next: TokenSink): TokenSink => ({
    token(b, from, to, position, start, end) {
      let i = from;
      while (i < to && b[i] !== 0xef) i++;
      if (i === to) {
        next.token(b, from, to, position, start, end);
        return;
      }
      const folded = Buffer.from(foldWidth(Buffer.from(b.subarray(from, to)).toString()));
      next.token(folded, 0, folded.length, position, start, end);
    },
  }),
  normalize: foldWidth,
});
