/** Appends bytes, words, varints and bit-packed values to one growing buffer. */
export class BitOutput {
  u8: Uint8Array;
  i32: Int32Array;
  length = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(capacity: number) {
    this.u8 = new Uint8Array((capacity + 7) & ~7);
    this.i32 = new Int32Array(this.u8.buffer);
  }

  /** Makes sure that `bytes` more fit without another look. */
  room(bytes: number): void {
    const needed = this.length + bytes + 64;
    if (needed <= this.u8.length) return;
    const grown = new Uint8Array((Math.max(this.u8.length * 2, needed) + 7) & ~7);
    grown.set(this.u8.subarray(0, this.length));
    this.u8 = grown;
    this.i32 = new Int32Array(grown.buffer);
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

  /** The low `width` bits (up to 25) of a value, low bits first; `flush` ends on a byte. */
  put(value: number, width: number): void {
    this.#pending |= value << this.#pendingBits;
    const left = 32 - this.#pendingBits;
    if (width < left) {
      this.#pendingBits += width;
      return;
    }
    const { u8, length } = this;
    const word = this.#pending;
    u8[length] = word;
    u8[length + 1] = word >>> 8;
    u8[length + 2] = word >>> 16;
    u8[length + 3] = word >>> 24;
    this.length = length + 4;
    this.#pending = left < 32 ? value >>> left : 0;
    this.#pendingBits = width - left;
  }

  flush(): void {
    for (; this.#pendingBits > 0; this.#pendingBits -= 8) {
      this.u8[this.length++] = this.#pending;
      this.#pending >>>= 8;
    }
    this.#pendingBits = 0;
    this.#pending = 0;
  }

  /** Packs values[from .. to), each less `less`, at one width, ending on a byte. */
  pack(values: Int32Array, from: number, to: number, width: number, less: number): void {
    if (width > 0) for (let i = from; i < to; i++) this.put(values[i] - less, width);
    this.flush();
  }
}
