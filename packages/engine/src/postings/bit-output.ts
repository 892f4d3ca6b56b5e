/** Appends bytes, words, varints and bit-packed values to one growing buffer. */
export class BitOutput {
  u8: Uint8Array;
  i32: Int32Array;
  view: DataView;
  length = 0;

  constructor(capacity: number) {
    this.u8 = new Uint8Array((capacity + 7) & ~7);
    this.i32 = new Int32Array(this.u8.buffer);
    this.view = new DataView(this.u8.buffer);
  }

  /** Makes sure that `bytes` more fit without another look. */
  room(bytes: number): void {
    const needed = this.length + bytes + 64;
    if (needed <= this.u8.length) return;
    const grown = new Uint8Array((Math.max(this.u8.length * 2, needed) + 7) & ~7);
    grown.set(this.u8.subarray(0, this.length));
    this.u8 = grown;
    this.i32 = new Int32Array(grown.buffer);
    this.view = new DataView(grown.buffer);
  }

  /** Zero bytes up to a multiple of 4. */
  align(): void {
    while ((this.length & 3) !== 0) this.u8[this.length++] = 0;
  }

  varint(value: number): void {
    let rest = value >>> 0;
    while (rest >= 128) {
      this.u8[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.u8[this.length++] = rest;
  }

  /**
   * Packs values[from .. to), each less `less`, at one width of up to 25 bits, low bits first,
   * ending on a byte. There is room.
   */
  pack(values: Int32Array, from: number, to: number, width: number, less: number): void {
    if (width === 0) return;
    const { view } = this;
    let at = this.length;
    let word = 0;
    let bits = 0;
    for (let i = from; i < to; i++) {
      const value = values[i] - less;
      word |= value << bits;
      bits += width;
      if (bits < 32) continue;
      view.setInt32(at, word, true);
      at += 4;
      bits -= 32;
      word = value >>> (width - bits);
    }
    this.endBits(at, word, bits);
  }

  /** Writes the last `bits` (below 32) of a run of bits at `at`, ending on a byte. */
  endBits(at: number, word: number, bits: number): void {
    this.view.setInt32(at, word, true);
    this.length = at + ((bits + 7) >> 3);
  }
}
