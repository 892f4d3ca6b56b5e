/** Hashes of 64 bits, as two lanes: an open table of pairs that doubles when it is half full. */
export class KeyHashes {
  #pairs = new Int32Array(2 ** 14);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a hash. False if it was there. Zero is never there. */
  add(low: number, high: number): boolean {
    if (low === 0 && high === 0) return true;
    const at = slotOf(this.#pairs, low, high);
    if (this.#pairs[at] === low && this.#pairs[at + 1] === high) return false;
    this.#pairs[at] = low;
    this.#pairs[at + 1] = high;
    if (++this.#size * 4 > this.#pairs.length) this.#grow();
    return true;
  }

  clear(): void {
    this.#pairs.fill(0);
    this.#size = 0;
  }

  #grow(): void {
    const pairs = new Int32Array(this.#pairs.length * 2);
    for (let i = 0; i < this.#pairs.length; i += 2) {
      const low = this.#pairs[i];
      const high = this.#pairs[i + 1];
      if (low === 0 && high === 0) continue;
      const at = slotOf(pairs, low, high);
      pairs[at] = low;
      pairs[at + 1] = high;
    }
    this.#pairs = pairs;
  }
}

/** Where a hash is, or the free pair where it belongs. */
function slotOf(pairs: Int32Array, low: number, high: number): number {
  const mask = pairs.length - 1;
  for (let at = (low << 1) & mask; ; at = (at + 2) & mask) {
    const isFree = pairs[at] === 0 && pairs[at + 1] === 0;
    if (isFree || (pairs[at] === low && pairs[at + 1] === high)) return at;
  }
}
