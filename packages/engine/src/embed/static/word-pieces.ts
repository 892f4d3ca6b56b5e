/**
 * Tokenizer of uncased BERT over UTF-8 bytes: text -> ids of word pieces.
 *
 *  1. ASCII runs byte by byte: lower case, words into a buffer with their hash; controls are
 *     dropped; white space ends a word; punctuation is a word of its own
 *  2. other code points by their steps (unicode-steps.ts), which also go into the buffer
 *  3. a word: itself if the vocabulary has it, else the longest piece first, again and again,
 *     looked for only as far as pieces go on; with no match, or over `maxWordChars` code points, it
 *     is one unknown token
 */

import { decodePoint, lengthOf, pointOf } from '../../analysis/unicode/utf8.ts';
import { BEGINS, firstSlot, GOES_ON, hashStep } from './piece-hash.ts';
import { KIND_OF, KINDS } from './text-state.ts';
import { stepsOf, stepsOfText, type WordStep } from './unicode-steps.ts';
import { begins, goesOn, type Vocabulary } from './vocabulary.ts';

const { dropped: DROPPED, space: SPACE, mark: MARK, other: OTHER } = KINDS;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Receives ids: a buffer of fixed size and the function that empties it. */
export interface PieceSink {
  readonly ids: Int32Array;
  /** Ids in the buffer. */
  count: number;
  /** Takes what is in the buffer; afterwards count is 0. */
  flush(): void;
}

/** One tokenizer: holds the word that is being read, so one text at a time. */
export class WordPieces {
  readonly #vocabulary: Vocabulary;
  readonly #unknown: number;
  readonly #most: number;
  readonly #sink: PieceSink;
  readonly #word: Uint8Array;
  /** Hash of each beginning of the piece that is looked for. */
  readonly #inner: Int32Array;
  readonly #pieces: number[] = [];
  #length = 0;
  #chars = 0;
  #hash = BEGINS;

  constructor(
    vocabulary: Vocabulary,
    options: { readonly unknownId: number; readonly maxWordChars: number },
    sink: PieceSink,
  ) {
    this.#vocabulary = vocabulary;
    this.#unknown = options.unknownId;
    this.#most = options.maxWordChars;
    this.#sink = sink;
    this.#word = new Uint8Array(4 * options.maxWordChars);
    this.#inner = new Int32Array(4 * options.maxWordChars);
  }

  /** Gives the ids of bytes[from .. to) to the sink. Bytes that are no UTF-8 are dropped. */
  read(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      at = this.#ascii(bytes, at, to);
      if (at < to) at = this.#beyond(bytes, at, to);
    }
    this.#end();
  }

  /** Reads on to the next byte beyond ASCII; returns where it is. */
  #ascii(bytes: Uint8Array, from: number, to: number): number {
    const word = this.#word;
    const most = this.#most;
    let at = from;
    for (; at < to; at++) {
      const kind = KIND_OF[bytes[at]];
      if (kind > OTHER) {
        if (this.#chars++ < most) {
          this.#hash = hashStep(this.#hash, kind);
          word[this.#length++] = kind;
        }
      } else if (kind === SPACE) this.#end();
      else if (kind === MARK) this.#mark(bytes, at, 1);
      else if (kind === OTHER) break;
    }
    return at;
  }

  /** Takes code points beyond ASCII in a row; returns where ASCII begins again. */
  #beyond(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && bytes[at] >= 0x80) {
      const decoded = decodePoint(bytes, at, to);
      const steps = stepsOf(pointOf(decoded));
      if (steps === null) return this.#together(bytes, at, to);
      this.#take(steps);
      at += lengthOf(decoded);
    }
    return at;
  }

  /** The same with decomposition over all of them, and over controls between, which are dropped. */
  #together(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && (KIND_OF[bytes[at]] === OTHER || KIND_OF[bytes[at]] === DROPPED)) at++;
    this.#take(stepsOfText(utf8.decode(bytes.subarray(from, at))));
    return at;
  }

  #take(steps: readonly WordStep[]): void {
    for (const { kind, bytes } of steps) {
      if (kind === 'space') this.#end();
      else if (kind === 'mark') this.#mark(bytes, 0, bytes.length);
      else this.#letter(bytes);
    }
  }

  #letter(bytes: Uint8Array): void {
    if (this.#chars++ >= this.#most) return;
    for (const byte of bytes) {
      this.#hash = hashStep(this.#hash, byte);
      this.#word[this.#length++] = byte;
    }
  }

  /** A word of one code point, behind the one that it ends. */
  #mark(bytes: Uint8Array, from: number, length: number): void {
    this.#end();
    let hash = BEGINS;
    for (let k = 0; k < length; k++) hash = hashStep(hash, bytes[from + k]);
    const id = this.#find(hash, bytes, from, length, false);
    this.#emit(id < 0 ? this.#unknown : id);
  }

  /** Ends the word that is being read, if there is one. */
  #end(): void {
    const length = this.#length;
    if (length === 0) return;
    const chars = this.#chars;
    const hash = this.#hash;
    this.#length = 0;
    this.#chars = 0;
    this.#hash = BEGINS;
    const id = chars > this.#most ? this.#unknown : this.#find(hash, this.#word, 0, length, false);
    if (id >= 0) this.#emit(id);
    else for (const piece of this.#split(length)) this.#emit(piece);
  }

  /** The pieces of a word that is none itself; one unknown where a part of it has no match. */
  #split(length: number): readonly number[] {
    const pieces = this.#pieces;
    pieces.length = 0;
    for (let from = 0; from < length; ) {
      let piece = this.#reach(from, length);
      let id = -1;
      for (; piece > 0; piece--) {
        id = this.#find(this.#inner[piece - 1], this.#word, from, piece, from > 0);
        if (id >= 0) break;
      }
      if (id < 0) return [this.#unknown];
      pieces.push(id);
      from += piece;
    }
    return pieces;
  }

  /** Bytes from `from` on with which a piece may begin; leaves the hash of each such beginning. */
  #reach(from: number, length: number): number {
    const inner = this.#inner;
    let hash = from === 0 ? BEGINS : GOES_ON;
    let reach = 0;
    for (; from + reach < length; reach++) {
      hash = hashStep(hash, this.#word[from + reach]);
      if (!begins(this.#vocabulary, hash)) break;
      inner[reach] = hash;
    }
    return reach;
  }

  /** The id of a piece, or -1. */
  #find(hash: number, text: Uint8Array, from: number, length: number, inside: boolean): number {
    const { ids, hashes, bytes, starts, ends } = this.#vocabulary;
    const mask = ids.length - 1;
    for (let slot = firstSlot(hash, mask); ids[slot] !== 0; slot = (slot + 1) & mask) {
      if (hashes[slot] !== hash) continue;
      const id = ids[slot] - 1;
      const start = starts[id];
      if (ends[id] - start !== length || goesOn(this.#vocabulary, id) !== inside) continue;
      let k = 0;
      while (k < length && bytes[start + k] === text[from + k]) k++;
      if (k === length) return id;
    }
    return -1;
  }

  #emit(id: number): void {
    const sink = this.#sink;
    if (sink.count === sink.ids.length) sink.flush();
    sink.ids[sink.count++] = id;
  }
}
