const MINUTE_MS = 60_000;
/** Two clocks may differ by so much. */
export const CLOCK_SLACK_MS = MINUTE_MS;
/** How long a clock that jumped ahead has to stay there until it is believed. */
const BELIEVED_AFTER_MS = 24 * 60 * MINUTE_MS;

/**
 * The time of the wall clock, but for jumps ahead: as long as one is younger than a day, time goes
 * on as the monotonic clock counts it. So a clock that was set wrong and back again ends nothing
 * too early.
 */
export class SteadyTime {
  readonly #ticks: () => number;
  /** A moment that was believed, by both clocks. */
  #wall = Number.NEGATIVE_INFINITY;
  #tick = 0;
  #jumpedAt: number | null = null;

  /** `ticks`: milliseconds of a clock that is never set. */
  constructor(ticks: () => number) {
    this.#ticks = ticks;
  }

  /** The believed time when the wall clock says `wall`, both in milliseconds since 1970. */
  at(wall: number): number {
    const tick = this.#ticks();
    const steady = Math.floor(this.#wall + tick - this.#tick);
    const isAhead = Number.isFinite(steady) && wall > steady + CLOCK_SLACK_MS;
    this.#jumpedAt = isAhead ? (this.#jumpedAt ?? tick) : null;
    if (this.#jumpedAt !== null && tick - this.#jumpedAt < BELIEVED_AFTER_MS) return steady;
    this.#wall = wall;
    this.#tick = tick;
    this.#jumpedAt = null;
    return wall;
  }
}
