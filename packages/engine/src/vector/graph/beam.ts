/**
 * So many entries are shifted one by one. More of them are moved by `copyWithin`, which takes a
 * call and is 2 to 3 times as fast for 1,000.
 */
const SHIFTED = 160;

/**
 * The best vectors that a walk over a graph has met, the best first, and which of them it has gone
 * on from.
 */
export class Beam {
  #keys: Float64Array;
  /** ~slot where the walk has gone on from it. */
  #slots: Int32Array;
  #most: number;
  #size = 0;
  /** Nothing before this place is still to be gone on from. */
  #cursor = 0;
  /** Keys up to this are of no use. */
  least = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
    this.#keys = new Float64Array(most);
    this.#slots = new Int32Array(most);
  }

  get size(): number {
    return this.#size;
  }

  /** Forgets all, and holds `most` from now on. */
  reset(most: number): void {
    if (most > this.#keys.length) {
      this.#keys = new Float64Array(most);
      this.#slots = new Int32Array(most);
    }
    this.#most = most;
    this.#size = 0;
    this.#cursor = 0;
    this.least = Number.NEGATIVE_INFINITY;
  }

  /** Takes a vector; of equal keys the one that came first stands first. */
  add(slot: number, key: number): void {
    if (key <= this.least) return;
    const keys = this.#keys;
    const slots = this.#slots;
    let at = this.#size === this.#most ? this.#size - 1 : this.#size++;
    if (at > SHIFTED) at = this.#makeRoom(key, at);
    for (; at > 0 && keys[at - 1] < key; at--) {
      keys[at] = keys[at - 1];
      slots[at] = slots[at - 1];
    }
    keys[at] = key;
    slots[at] = slot;
    if (at < this.#cursor) this.#cursor = at;
    if (this.#size === this.#most) this.least = keys[this.#most - 1];
  }

  /** Moves the entries of the first `end` whose keys are less, and returns the place before. */
  #makeRoom(key: number, end: number): number {
    const keys = this.#keys;
    let from = 0;
    for (let to = end; from < to; ) {
      const middle = (from + to) >> 1;
      if (keys[middle] < key) to = middle;
      else from = middle + 1;
    }
    keys.copyWithin(from + 1, from, end);
    this.#slots.copyWithin(from + 1, from, end);
    return from;
  }

  /** The best vector that the walk has not gone on from, or -1; it counts as gone on from now. */
  next(): number {
    const slots = this.#slots;
    while (this.#cursor < this.#size) {
      const slot = slots[this.#cursor];
      if (slot >= 0) {
        slots[this.#cursor++] = ~slot;
        return slot;
      }
      this.#cursor++;
    }
    return -1;
  }

  /** The vector at a place, whether the walk has gone on from it or not. */
  slotAt(place: number): number {
    const slot = this.#slots[place];
    return slot < 0 ? ~slot : slot;
  }

  keyAt(place: number): number {
    return this.#keys[place];
  }
}
