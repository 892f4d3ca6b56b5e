/**
 * Words as Unicode segments them (Standard Annex 29, the words that Intl.Segmenter calls
 * word-like), from UTF-8:
 *
 * 1. A word is a run of letters, figures and `_`. A mark between two letters (`can't`, `a.b`) or
 *    figures (`3.14`, `1,000`) belongs to it. Plain code does this for the scripts of
 *    word-break.ts.
 * 2. At the first code point that is not there, the stretch from the beginning of the word (or from
 *    the code point) to the next ASCII white space goes through Intl.Segmenter: scripts without
 *    spaces, combining marks, emoji, broken UTF-8.
 *
 * The stretch begins where a boundary is certain: the fast path has decided it from code points
 * that it knows on both sides.
 */
import type { Tokenizer } from '../pipeline.ts';
import { decodePoint, decodeUtf8, lengthOf, pointOf } from '../unicode/utf8.ts';
import {
  JOINER,
  LETTER,
  MID_BOTH,
  MID_LETTER,
  MID_NUMBER,
  NUMBER,
  OTHER,
  SLOW,
  WORD_BREAK,
} from './word-break.ts';

let segmenter: Intl.Segmenter | undefined;

/**
 * The word-like segments that Intl.Segmenter finds in text[from .. to), as tokens; returns the
 * position that comes next. Slow (10 MB/s and less), but it knows every script.
 */
export const segmentWords: Tokenizer = (text, from, to, position, sink) => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  const { text: characters, offsets } = decodeUtf8(text, from, to);
  let next = position;
  for (const { segment, index, isWordLike } of segmenter.segment(characters)) {
    if (isWordLike !== true) continue;
    const start = offsets[index];
    const end = offsets[index + segment.length];
    sink.token(text, start, end, next++, start, end);
  }
  return next;
};

/** Unicode words, letters as they are. */
export const tokenizeStandard: Tokenizer = (text, from, to, position, sink) => {
  let next = position;
  let at = from;
  while (at < to) {
    const decoded = decode(text, at, to);
    const kind = classOf(pointOf(decoded));
    if (kind === LETTER || kind === NUMBER || kind === JOINER) {
      const end = wordEnd(text, at, to);
      if (end > 0) {
        if (isWord(text, at, end, kind)) sink.token(text, at, end, next++, at, end);
        at = end;
        continue;
      }
    } else if (kind !== SLOW) {
      at += lengthOf(decoded);
      continue;
    }
    const end = stretchEnd(text, at, to);
    next = segmentWords(text, at, end, next, sink);
    at = end;
  }
  return next;
};

/**
 * The end of the word that begins at text[at], or -1 when it runs into something that only the
 * segmenter knows.
 */
function wordEnd(text: Uint8Array, at: number, to: number): number {
  let kind: number = OTHER;
  let i = at;
  while (i < to) {
    const byte = text[i];
    let size = 1;
    let next: number;
    if (byte < 0x80) next = WORD_BREAK[byte];
    else {
      const decoded = decodePoint(text, i, to);
      size = lengthOf(decoded);
      next = classOf(pointOf(decoded));
    }
    if (next >= LETTER && next <= JOINER) {
      kind = next;
      i += size;
      continue;
    }
    if (next === SLOW) return -1;
    if (next === OTHER || i + size >= to) return i;
    const beyond = classOf(pointOf(decode(text, i + size, to)));
    if (beyond === SLOW) return -1;
    if (!bridges(kind, next, beyond)) return i;
    i += size;
  }
  return i;
}

/** True when a mark between two characters belongs to the word. */
function bridges(before: number, mark: number, after: number): boolean {
  if (before !== after) return false;
  if (before === LETTER) return mark === MID_LETTER || mark === MID_BOTH;
  return before === NUMBER && (mark === MID_NUMBER || mark === MID_BOTH);
}

/** A lone `_` is no word, as in ICU. */
const isWord = (text: Uint8Array, at: number, end: number, kind: number): boolean =>
  kind !== JOINER || end - at > 1 || text[at] !== 0x5f;

const classOf = (point: number): number => (point < 0x10000 ? WORD_BREAK[point] : SLOW);
const decode = (text: Uint8Array, at: number, to: number): number =>
  text[at] < 0x80 ? text[at] | (1 << 21) : decodePoint(text, at, to);

/** Up to this many bytes, neighbouring stretches are segmented together. */
const STRETCH_BYTES = 4096;

/** The end of a stretch for the segmenter: the next white space before ASCII text, or the end. */
function stretchEnd(text: Uint8Array, at: number, to: number): number {
  for (let i = at; i < to; i++) {
    if (!isSpace(text[i])) continue;
    const alien = i + 1 < to && text[i + 1] >= 0xd7;
    if (!alien || i - at > STRETCH_BYTES) return i;
  }
  return to;
}

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13);
