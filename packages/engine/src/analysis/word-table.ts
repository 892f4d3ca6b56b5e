/** A hash of bytes[from .. to) (FNV-1a, 32 bits). */
function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash ^ (hash >>> 15);
}

const SLOTS = 1 << 15;
/** Longer words are worked out each time. */
const WORD_BYTES = 30;
const STRIDE = 32;

/**
 * What a function makes of words, remembered by their bytes: a direct-mapped table of 32,768 words
 * (2 MB), so that a stemmer that works on strings is asked once for each of the frequent words.
 */
export class WordTable {
  private readonly work: (word: string) => string;
  /** A slot: length + 1, then the bytes. */
  private readonly keys = new Uint8Array(SLOTS * STRIDE);
  private readonly values = new Uint8Array(SLOTS * STRIDE);
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
    const slot = (hashBytes(bytes, from, to) & (SLOTS - 1)) * STRIDE;
    if (!this.holds(slot, bytes, from, length)) {
      const made = this.make(bytes, from, to);
      if (made.length > WORD_BYTES) {
        this.answer(made);
        return;
      }
      this.keys[slot] = length + 1;
      this.keys.set(bytes.subarray(from, to), slot + 1);
      this.values[slot] = made.length;
      this.values.set(made, slot + 1);
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
