/**
 * Vectors that may be among the k nearest, by guaranteed bounds of their similarities. A vector
 * whose upper bound is below the k-th best lower bound is dropped.
 */
export class Shortlist {
  /** The k best lower bounds: a heap, the least on top. */
  #lows: Float64Array;
  #k: number;
  #filled = 0;
  #slots: Int32Array;
  #uppers: Float64Array;
  #count = 0;
  /** Upper bounds below this need not be offered. */
  least = Number.NEGATIVE_INFINITY;

  constructor(k: number) {
    this.#k = k;
    this.#lows = new Float64Array(k);
    this.#slots = new Int32Array(4 * k + 1024);
    this.#uppers = new Float64Array(4 * k + 1024);
  }

  /** Forgets all, for another k. */
  reset(k: number): this {
    if (k > this.#lows.length) this.#lows = new Float64Array(k);
    this.#k = k;
    this.#filled = 0;
    this.#count = 0;
    this.least = Number.NEGATIVE_INFINITY;
    return this;
  }

  /** Takes a vector whose similarity lies in [lower, upper]. */
  offer(slot: number, lower: number, upper: number): void {
    if (this.#count === this.#slots.length) this.#room();
    this.#slots[this.#count] = slot;
    this.#uppers[this.#count++] = upper;
    if (lower <= this.least) return;
    if (this.#filled < this.#k) this.#rise(lower);
    else this.#sink(lower);
    if (this.#filled === this.#k) this.least = this.#lows[0];
  }

  /** Slots that may be among the nearest, in the order in which they were offered. */
  survivors(): Int32Array {
    this.#drop();
    return this.#slots.subarray(0, this.#count);
  }

  #drop(): void {
    let size = 0;
    for (let i = 0; i < this.#count; i++) {
      if (this.#uppers[i] < this.least) continue;
      this.#slots[size] = this.#slots[i];
      this.#uppers[size++] = this.#uppers[i];
    }
    this.#count = size;
  }

  #room(): void {
    this.#drop();
    if (this.#count < this.#slots.length >> 1) return;
    const slots = new Int32Array(2 * this.#slots.length);
    const uppers = new Float64Array(slots.length);
    slots.set(this.#slots);
    uppers.set(this.#uppers);
    [this.#slots, this.#uppers] = [slots, uppers];
  }

  #rise(value: number): void {
    const heap = this.#lows;
    let at = this.#filled++;
    for (; at > 0; at = (at - 1) >> 1) {
      const above = heap[(at - 1) >> 1];
      if (above <= value) break;
      heap[at] = above;
    }
    heap[at] = value;
  }

  #sink(value: number): void {
    const heap = this.#lows;
    const size = this.#filled;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && heap[child + 1] < heap[child]) child++;
      if (heap[child] >= value) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = value;
  }
}
