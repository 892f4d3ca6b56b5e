/**
 * How often a process looks at files that another process may replace. A look holds until the event
 * loop turns, for `LOOK_MS` at most, and until this process replaces such a file itself. Word of a
 * change that another process made arrives in a later turn, so a read that follows it looks again.
 * In a folder that no other process may write, a look may hold longer.
 */
const LOOK_MS = 1;

/** Files that this process has replaced. */
let replaced = 0;

/** Ends all periods: this process has replaced a file, or the next look must not be an old one. */
export function endLookPeriod(): void {
  replaced++;
}

/** The looks of one engine. */
export class Looks {
  readonly #heldMs: number;
  #period = 0;
  #replaced = 0;
  #endsAt = 0;
  #ends = false;

  /** `heldMs`: how long a look holds if this process replaces no file; 0: until the loop turns. */
  constructor(heldMs = 0) {
    this.#heldMs = heldMs;
  }

  /** The period in which a look holds: one that was made in another period is made again. */
  get period(): number {
    const now = performance.now();
    if (now < this.#endsAt && this.#replaced === replaced) return this.#period;
    this.#replaced = replaced;
    this.#endsAt = now + (this.#heldMs === 0 ? LOOK_MS : this.#heldMs);
    if (this.#heldMs === 0) this.#endWithTurn();
    return ++this.#period;
  }

  #endWithTurn(): void {
    if (this.#ends) return;
    this.#ends = true;
    setImmediate(() => {
      this.#ends = false;
      this.#endsAt = 0;
    });
  }
}
