/**
 * Words of source code. A word is a run of letters, figures and what joins them in names and paths
 * (`_ - . / \ : @ $ # +`), without such signs at its ends. Its tokens all have its position:
 *
 * 1. the word as it is: `src/httpServer.js`
 * 2. its names, between the joining signs other than `_` and `-`: `src`, `httpServer`, `js`
 * 3. their parts, where `_` or `-` stands, small letters meet capitals, capitals meet a capitalised
 *    word, letters meet figures: `http`, `Server`
 *
 * each once. So any of them finds the word, and words next to one another are neighbours.
 */
import type { Tokenizer } from '../pipeline.ts';
import { decodePoint, lengthOf, pointOf } from '../unicode/utf8.ts';

const NONE = 0;
const LOWER = 1;
const UPPER = 2;
const FIGURE = 3;
/** Joins parts of a name. */
const HYPHEN = 4;
/** Joins names. */
const JOINT = 5;

const ASCII = new Uint8Array(128);
for (let c = 0; c < 128; c++) ASCII[c] = kindOf(String.fromCharCode(c));

function kindOf(character: string): number {
  if ('_-'.includes(character)) return HYPHEN;
  if ('./\\:@$#+'.includes(character)) return JOINT;
  if (/^[\p{Lu}\p{Lt}]$/u.test(character)) return UPPER;
  if (/^[\p{Alphabetic}\p{M}]$/u.test(character)) return LOWER;
  return /^\p{N}$/u.test(character) ? FIGURE : NONE;
}

/** Words of source code, whole and in parts, letters as they are. */
export const tokenizeCode: Tokenizer = (text, from, to, position, sink) => {
  let next = position;
  for (let at = from; at < to; ) {
    if (text[at] < 128 && ASCII[text[at]] === NONE) {
      at++;
      continue;
    }
    const simple = simpleEnd(text, at, to);
    if (simple > at) {
      sink.token(text, at, simple, next++, at, simple);
      at = simple;
      continue;
    }
    const word = readWord(text, at, to);
    at = word.end;
    if (word.pieces.length === 0) continue;
    for (const [start, end] of tokensOf(text, word.pieces))
      sink.token(text, start, end, next, start, end);
    next++;
  }
  return next;
};

/**
 * The end of a word of small ASCII letters, perhaps with a capital before them, that has no parts;
 * else `at`.
 */
function simpleEnd(text: Uint8Array, at: number, to: number): number {
  let end = at;
  if (text[end] < 128 && ASCII[text[end]] === UPPER) end++;
  while (end < to && text[end] < 128 && ASCII[text[end]] === LOWER) end++;
  return end === to || (text[end] < 128 && ASCII[text[end]] === NONE) ? end : at;
}

/** A stretch of one kind: text[start .. end). */
interface Piece {
  readonly kind: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The word at text[at], if there is one, as pieces of one kind each; signs at its ends are left
 * out.
 */
function readWord(text: Uint8Array, at: number, to: number): { pieces: Piece[]; end: number } {
  const pieces: Piece[] = [];
  let end = at;
  while (end < to) {
    const start = end;
    const decoded = decodePoint(text, start, to);
    const point = pointOf(decoded);
    const kind = point < 128 ? ASCII[point] : kindOf(String.fromCodePoint(point));
    end += lengthOf(decoded);
    if (kind === NONE) break;
    const last = pieces.at(-1);
    if (last?.kind === kind) pieces[pieces.length - 1] = { kind, start: last.start, end };
    else if (last !== undefined || kind < HYPHEN) pieces.push({ kind, start, end });
  }
  while (pieces.length > 0 && pieces[pieces.length - 1].kind >= HYPHEN) pieces.pop();
  return { pieces, end };
}

/** The places of the word, its names and their parts, each once. */
function tokensOf(text: Uint8Array, pieces: readonly Piece[]): readonly Place[] {
  const whole = placeOf(pieces);
  const out = [whole];
  for (const name of split(pieces, JOINT)) {
    const place = placeOf(name);
    if (!same(place, whole)) out.push(place);
    for (const run of split(name, HYPHEN)) {
      for (const part of partsOf(text, run)) {
        if (!same(part, place) && !same(part, whole)) out.push(part);
      }
    }
  }
  return out;
}

/** The parts of letters and figures: `HTTPServer2` is `HTTP`, `Server`, `2`. */
function partsOf(text: Uint8Array, pieces: readonly Piece[]): Place[] {
  const out: Place[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const { kind, start, end } = pieces[i];
    if (kind !== UPPER || pieces[i + 1]?.kind !== LOWER) {
      out.push([start, end]);
      continue;
    }
    let capital = end - 1;
    while (capital > start && (text[capital] & 0xc0) === 0x80) capital--;
    if (capital > start) out.push([start, capital]);
    out.push([capital, pieces[++i].end]);
  }
  return out;
}

type Place = readonly [start: number, end: number];
const placeOf = (pieces: readonly Piece[]): Place => [
  pieces[0].start,
  pieces[pieces.length - 1].end,
];
const same = (a: Place, b: Place): boolean => a[0] === b[0] && a[1] === b[1];

function split(pieces: readonly Piece[], sign: number): Piece[][] {
  const out: Piece[][] = [];
  let run: Piece[] = [];
  for (const piece of pieces) {
    if (piece.kind !== sign) run.push(piece);
    else if (run.length > 0) {
      out.push(run);
      run = [];
    }
  }
  return run.length > 0 ? [...out, run] : out;
}
