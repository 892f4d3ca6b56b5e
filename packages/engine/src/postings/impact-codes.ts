/** Bytes in an output that hold the code of an impact, once the coded impacts are known. */
export class ImpactCodes {
  #at: Float64Array = new Float64Array(1 << 12);
  #value: Float64Array = new Float64Array(1 << 12);
  #size = 0;
  #impacts = new Float64Array(0);
  #count = 0;
  /** Added to the addresses that are noted. */
  base = 0;
  /** The next code to write. */
  #next = 0;

  /**
   * Records the impact whose code belongs in the byte at `at` (0: no posting there). Addresses
   * ascend.
   */
  note(at: number, value: number): void {
    if (this.#size === this.#at.length) {
      this.#at = doubled(this.#at);
      this.#value = doubled(this.#value);
    }
    this.#at[this.#size] = this.base + at;
    this.#value[this.#size++] = value;
  }

  /** Records impacts at addresses from `at` on, `stride` bytes apart. */
  noteAll(at: number, stride: number, values: Float64Array): void {
    const size = this.#size + values.length;
    if (size > this.#at.length) {
      const room = Math.max(size, 2 * this.#at.length);
      this.#at = resized(this.#at, room);
      this.#value = resized(this.#value, room);
    }
    const first = this.base + at;
    for (let i = 0; i < values.length; i++) this.#at[this.#size + i] = first + i * stride;
    this.#value.set(values, this.#size);
    this.#size = size;
  }

  /** The addresses and impacts so far: views. */
  get noted(): { readonly at: Float64Array; readonly value: Float64Array } {
    return {
      at: this.#at.subarray(0, this.#size),
      value: this.#value.subarray(0, this.#size),
    };
  }

  /** Adds what another one has noted; its addresses count from `base`. */
  append(at: Float64Array, value: Float64Array, base: number): void {
    const size = this.#size + at.length;
    if (size > this.#at.length) {
      this.#at = resized(this.#at, size);
      this.#value = resized(this.#value, size);
    }
    for (let i = 0; i < at.length; i++) this.#at[this.#size + i] = at[i] + base;
    this.#value.set(value, this.#size);
    this.#size = size;
  }

  /**
   * Chooses 255 impacts that occur, by quantile: the code of a noted impact is the first that is
   * not smaller, so that codes are upper bounds and common impacts are exact. Returns the impacts,
   * rising; entry 0 is 0.
   */
  choose(): Float64Array {
    const values = this.#chosen();
    const impacts = new Float64Array(256);
    for (let i = 1; i < 256; i++) impacts[i] = values[Math.min(i - 1, values.length - 1)] ?? 0;
    this.#impacts = impacts;
    this.#count = values.length;
    return impacts;
  }

  /**
   * Writes the codes of the noted impacts into a piece of the output that begins at `from`; the
   * pieces come in their order, after `choose`.
   */
  write(piece: Uint8Array, from: number): void {
    const end = from + piece.length;
    for (; this.#next < this.#size && this.#at[this.#next] < end; this.#next++) {
      const value = this.#value[this.#next];
      piece[this.#at[this.#next] - from] =
        value === 0 ? 0 : codeOf(this.#impacts, this.#count, value);
    }
  }

  #chosen(): readonly number[] {
    const sorted = this.#value.slice(0, this.#size).sort();
    let zeros = 0;
    while (zeros < sorted.length && sorted[zeros] === 0) zeros++;
    const present = sorted.length - zeros;
    if (present === 0) return [];
    const chosen = new Set<number>();
    for (let i = 1; i <= 255; i++) {
      chosen.add(sorted[Math.min(sorted.length - 1, zeros + Math.ceil((present * i) / 255) - 1)]);
    }
    return [...chosen].sort((a, b) => a - b);
  }
}

const doubled = (array: Float64Array): Float64Array => resized(array, array.length * 2);

function resized(array: Float64Array, length: number): Float64Array {
  const next = new Float64Array(length);
  next.set(array);
  return next;
}

/** The first code in 1 .. count whose impact is not smaller. */
function codeOf(impacts: Float64Array, count: number, value: number): number {
  let low = 1;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (impacts[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
