import type { Analyzer } from './analyzer.ts';
import type { Tokenizer } from './pipeline.ts';

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
      const code = codePointAt(text, at, to);
      if (!isTokenChar(code)) break;
      at += utf8Length(text[at], at, to);
      if (size <= MAX_TOKEN_BYTES) size = writeCodePoint(token, size, lower(code));
    }
    if (at === start) {
      at += utf8Length(text[at], at, to);
      continue;
    }
    if (size <= MAX_TOKEN_BYTES) sink.token(token, 0, size, next, start, at);
    next++;
  }
  return next;
};

/** Bytes of the sequence that a lead byte begins, kept inside the text. */
function utf8Length(lead: number, at: number, to: number): number {
  const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return Math.min(length, to - at);
}

/** The code point at a byte; U+FFFD for a broken sequence. */
function codePointAt(b: Uint8Array, at: number, to: number): number {
  const c = b[at];
  if (c < 0xc0 || at + (c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3) >= to) return 0xfffd;
  if (c < 0xe0) return ((c & 31) << 6) | (b[at + 1] & 63);
  if (c < 0xf0) return ((c & 15) << 12) | ((b[at + 1] & 63) << 6) | (b[at + 2] & 63);
  const code =
    ((c & 7) << 18) | ((b[at + 1] & 63) << 12) | ((b[at + 2] & 63) << 6) | (b[at + 3] & 63);
  return code > 0x10ffff ? 0xfffd : code;
}

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

function writeCodePoint(into: Uint8Array, at: number, code: number): number {
  if (code < 0x80) {
    into[at] = code;
    return at + 1;
  }
  if (code < 0x800) {
    into[at] = 0xc0 | (code >> 6);
    into[at + 1] = 0x80 | (code & 63);
    return at + 2;
  }
  if (code < 0x10000) {
    into[at] = 0xe0 | (code >> 12);
    into[at + 1] = 0x80 | ((code >> 6) & 63);
    into[at + 2] = 0x80 | (code & 63);
    return at + 3;
  }
  into[at] = 0xf0 | (code >> 18);
  into[at + 1] = 0x80 | ((code >> 12) & 63);
  into[at + 2] = 0x80 | ((code >> 6) & 63);
  into[at + 3] = 0x80 | (code & 63);
  return at + 4;
}

function normalize(word: string): string {
  let out = '';
  for (const char of word) out += String.fromCodePoint(lower(char.codePointAt(0) ?? 0));
  return out;
}

/** The one instance. */
export const simpleAnalyzer: Analyzer = Object.freeze({ name: 'simple', analyze, normalize });
