import type { Analyzer } from './analyzer.ts';
import type { Tokenizer } from './pipeline.ts';
import { encodePoint, uncheckedLength, uncheckedPoint } from './unicode/utf8.ts';

/**
 * The `simple` analyzer: tokens are maximal runs of `[\p{Alphabetic}\p{N}]`, lower-cased code point
 * by code point; tokens longer than 255 bytes are dropped and leave their position empty. Works on
 * UTF-8 bytes.
 */
const MAX_TOKEN_BYTES = 255;

/**
 * ASCII class by byte: the lower-cased letter or figure, 0 = separator, 128 = part of a code point
 * beyond ASCII.
 */
const LOW = new Uint8Array(256);
for (let c = 0; c < 256; c++) {
  if ((c >= 48 && c <= 57) || (c >= 97 && c <= 122)) LOW[c] = c;
  else if (c >= 65 && c <= 90) LOW[c] = c + 32;
  else if (c >= 128) LOW[c] = 128;
}

const TOKEN = /^[\p{Alphabetic}\p{N}]$/u;
/** Filled as code points come by: 0 unknown, 1 separator, 2 token character. */
const CLASS = new Uint8Array(0x110000);
/** Lower case by code point; unlike `lowerText`, a final ς stays. Part of what indexes hold. */
const LOWER = new Map<number, number>();

const token = new Uint8Array(MAX_TOKEN_BYTES + 16);

const analyze: Tokenizer = (text, from, to, position, sink) => {
  let at = from;
  let next = position;
  while (at < to) {
    if (LOW[text[at]] === 0) {
      at++;
      continue;
    }
    const start = at;
    let size = 0;
    for (;;) {
      const c = at < to ? LOW[text[at]] : 0;
      if (c === 0) break;
      if (c < 128) {
        token[size] = c;
        at++;
        size += size < MAX_TOKEN_BYTES + 1 ? 1 : 0;
        continue;
      }
      const point = uncheckedPoint(text, at, to);
      if (!isTokenChar(point)) break;
      at += uncheckedLength(text, at, to);
      if (size <= MAX_TOKEN_BYTES) size = encodePoint(lower(point), token, size);
    }
    if (at === start) {
      at += uncheckedLength(text, at, to);
      continue;
    }
    if (size <= MAX_TOKEN_BYTES) sink.token(token, 0, size, next, start, at);
    next++;
  }
  return next;
};

function isTokenChar(code: number): boolean {
  let known = CLASS[code];
  if (known === 0) known = CLASS[code] = TOKEN.test(String.fromCodePoint(code)) ? 2 : 1;
  return known === 2;
}

function lower(code: number): number {
  let known = LOWER.get(code);
  if (known === undefined) {
    known = String.fromCodePoint(code).toLowerCase().codePointAt(0) ?? code;
    LOWER.set(code, known);
  }
  return known;
}

function normalize(word: string): string {
  let out = '';
  for (const char of word) out += String.fromCodePoint(lower(char.codePointAt(0) ?? 0));
  return out;
}

/** The one instance. */
export const simpleAnalyzer: Analyzer = Object.freeze({ name: 'simple', analyze, normalize });
