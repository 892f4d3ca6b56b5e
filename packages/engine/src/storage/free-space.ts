/** The free stretches of an address range, ascending, no two of them neighbours. */
export class FreeSpace {
  readonly #free: { offset: number; length: number }[];

  constructor(begin: number, end: number) {
    this.#free = [{ offset: begin, length: end - begin }];
  }

  /** The offset of `length` bytes that are taken now (first fit), or null where none are free. */
  take(length: number): number | null {
    const at = this.#free.findIndex((free) => free.length >= length);
    if (at < 0) return null;
    const free = this.#free[at];
    const { offset } = free;
    free.offset += length;
    free.length -= length;
    if (free.length === 0) this.#free.splice(at, 1);
    return offset;
  }

  /** Gives a stretch back that was taken. */
  give(offset: number, length: number): void {
    const behind = this.#free.findIndex((free) => free.offset > offset);
    const at = behind < 0 ? this.#free.length : behind;
    this.#free.splice(at, 0, { offset, length });
    this.#join(at + 1);
    this.#join(at);
  }

  /** Joins stretch `at` to the one before it where they touch. */
  #join(at: number): void {
    const [before, after] = [this.#free[at - 1], this.#free[at]];
    if (!before || !after || before.offset + before.length !== after.offset) return;
    before.length += after.length;
    this.#free.splice(at, 1);
  }
}
