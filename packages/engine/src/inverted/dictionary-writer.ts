import { BitOutput } from '../postings/bit-output.ts';
import { LIST_BLOCK } from '../postings/format.ts';
import { DICTIONARY_BLOCK } from './format.ts';

const ESCAPE = 255;

/**
 * Writes terms in byte order as blocks of 16 with shared prefixes, and the index of the blocks
 * (format.ts).
 */
export class DictionaryWriter {
  readonly output = new BitOutput(1 << 12);
  readonly #blocks: number[] = [];
  #previous = new Uint8Array(256);
  #previousLength = 0;
  terms = 0;

  /** Index words so far: five a block. */
  get blocks(): readonly number[] {
    return this.#blocks;
  }

  /**
   * Adds the next term. `smallAt`, `bigTerms`: where its postings begin if it is the first of a
   * block.
   */
  add(
    bytes: Uint8Array,
    from: number,
    to: number,
    df: number,
    smallAt: number,
    bigTerms: number,
  ): void {
    const length = to - from;
    this.output.room(length + 32);
    if (this.terms % DICTIONARY_BLOCK === 0) {
      this.#previousLength = 0;
      this.#blocks.push(
        prefixWord(bytes, from, to, 0),
        prefixWord(bytes, from, to, 4),
        this.output.length,
        smallAt,
        bigTerms,
      );
    }
    const shared = this.#shared(bytes, from, length);
    this.#lengths(shared, length - shared);
    const { output } = this;
    for (let i = from + shared; i < to; i++) output.u8[output.length++] = bytes[i];
    output.varint(df);
    this.#remember(bytes, from, length);
    this.terms++;
  }

  /** Bytes that the term just added takes in the small section. */
  smallBytes(count: number): void {
    this.output.varint(count);
  }

  #lengths(shared: number, suffix: number): void {
    const { output } = this;
    if (shared < ESCAPE && suffix < ESCAPE) {
      output.u8[output.length++] = shared;
      output.u8[output.length++] = suffix;
      return;
    }
    output.u8[output.length++] = ESCAPE;
    output.u8[output.length++] = ESCAPE;
    output.varint(shared);
    output.varint(suffix);
  }

  #shared(bytes: Uint8Array, from: number, length: number): number {
    const most = Math.min(length, this.#previousLength);
    let shared = 0;
    while (shared < most && bytes[from + shared] === this.#previous[shared]) shared++;
    return shared;
  }

  #remember(bytes: Uint8Array, from: number, length: number): void {
    if (length > this.#previous.length) this.#previous = new Uint8Array(length * 2);
    for (let i = 0; i < length; i++) this.#previous[i] = bytes[from + i];
    this.#previousLength = length;
  }
}

/** Four bytes of a term from `skip` on as one word, the first byte highest; missing bytes are 0. */
export function prefixWord(bytes: Uint8Array, from: number, to: number, skip: number): number {
  let word = 0;
  for (let i = 0; i < 4; i++) {
    const at = from + skip + i;
    word = (word << 8) | (at < to ? bytes[at] : 0);
  }
  return word;
}

/** True where a term's postings lie in the small section. */
export const isShort = (df: number): boolean => df < LIST_BLOCK;
