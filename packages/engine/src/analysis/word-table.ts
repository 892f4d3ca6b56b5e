/** A hash of bytes[from .. to) (FNV-1a, 32 bits). */
function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash ^ (hash >>> 15);
}

/** A hash leads to a pair of slots. */
const PAIRS = 1 << 15;
/** Longer words are worked out each time. */
const WORD_BYTES = 30;
const STRIDE = 32;

/**
 * What a function makes of words, remembered by their bytes: a table of 65,536 words (4 MB), so
 * that a stemmer that works on strings runs once for each of the frequent words. A new word
 * replaces the one of its pair that was found longer ago: in a table without pairs, rare words
 * pushed frequent ones out, and half of the runs were repeats.
 */
export class WordTable {
  private readonly work: (word: string) => string;
  /** A slot: length + 1, then the bytes. */
  private readonly keys = new Uint8Array(2 * PAIRS * STRIDE);
  private readonly values = new Uint8Array(2 * PAIRS * STRIDE);
  /** The slot of each pair that was found last: 0 or 1. */
  private readonly recent = new Uint8Array(PAIRS);
  /** Where `find` left its answer: bytes[from .. to). */
  bytes: Uint8Array = this.values;
  from = 0;
  to = 0;

  constructor(work: (word: string) => string) {
    this.work = work;
  }

  /**
   * Puts what the function makes of bytes[from .. to) into this.bytes[this.from .. this.to), valid
   * until the next call.
   */
  find(bytes: Uint8Array, from: number, to: number): void {
    const length = to - from;
    if (length > WORD_BYTES) {
      this.answer(this.make(bytes, from, to));
      return;
    }
    const pair = hashBytes(bytes, from, to) & (PAIRS - 1);
    let way = this.recent[pair];
    let slot = (2 * pair + way) * STRIDE;
    if (!this.holds(slot, bytes, from, length)) {
      way ^= 1;
      slot = (2 * pair + way) * STRIDE;
      if (!this.holds(slot, bytes, from, length)) {
        const made = this.make(bytes, from, to);
        if (made.length > WORD_BYTES) {
          this.answer(made);
          return;
        }
        this.keep(slot, bytes.subarray(from, to), made);
      }
      this.recent[pair] = way;
    }
    this.bytes = this.values;
    this.from = slot + 1;
    this.to = slot + 1 + this.values[slot];
  }

  private holds(slot: number, bytes: Uint8Array, from: number, length: number): boolean {
    const { keys } = this;
    if (keys[slot] !== length + 1) return false;
    for (let i = 0; i < length; i++) if (keys[slot + 1 + i] !== bytes[from + i]) return false;
    return true;
  }

  private keep(slot: number, word: Uint8Array, made: Uint8Array): void {
    this.keys[slot] = word.length + 1;
    this.keys.set(word, slot + 1);
    this.values[slot] = made.length;
    this.values.set(made, slot + 1);
  }

  private make(bytes: Uint8Array, from: number, to: number): Uint8Array {
    const word = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
    return Buffer.from(this.work(word));
  }

  private answer(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.from = 0;
    this.to = bytes.length;
  }
}
