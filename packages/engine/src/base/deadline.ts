import { LhsError } from '@lakehouse-search/contract';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { LIMITS } from './limits.ts';

/** Steps of work between two looks at the clock: a step takes 10 to 500 ns. */
const STEPS = 16_384;

/**
 * The time limit of one query. Long loops call `check` once per batch or `spend` once per step;
 * both throw when the time is over, so a query never blocks the thread for much longer than its
 * limit.
 */
export class Deadline {
  readonly #clock: Pick<Clock, 'ticks'>;
  readonly #end: number;
  #left = STEPS;
  #late: (() => LhsError) | null = null;

  /** The limit begins now. `clock` is the machine's by default. */
  constructor(millis: number = LIMITS.queryMillis, clock: Pick<Clock, 'ticks'> = SYSTEM_CLOCK) {
    this.#clock = clock;
    this.#end = clock.ticks() + millis;
  }

  /**
   * The limit of a call that ends at `deadline` (milliseconds since 1970), or that of a query where
   * it is earlier. Then `check` throws deadline_exceeded.
   */
  static until(deadline: number, clock: Clock = SYSTEM_CLOCK): Deadline {
    const left = deadline - clock.now();
    if (left >= LIMITS.queryMillis) return new Deadline(LIMITS.queryMillis, clock);
    const own = new Deadline(left, clock);
    own.#late = deadlineExceeded;
    return own;
  }

  /** Throws limit_exceeded when the time is over, or deadline_exceeded for that of the call. */
  check(): void {
    if (this.#clock.ticks() <= this.#end) return;
    if (this.#late !== null) throw this.#late();
    const { queryMillis } = LIMITS;
    const message = `the query took longer than ${queryMillis} ms (queryMillis)`;
    throw new LhsError('limit_exceeded', message, {
      hint: 'narrow the query with a filter, or use fewer or narrower patterns',
      details: { limit: 'queryMillis', millis: queryMillis },
    });
  }

  /** Counts steps of work and checks the clock every 16,384 of them. Throws limit_exceeded. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left > 0) return;
    this.#left = STEPS;
    this.check();
  }
}

/** A deadline that never passes, for work that no query waits for. */
export const NO_DEADLINE: Deadline = new Deadline(Number.POSITIVE_INFINITY, { ticks: () => 0 });

/** The error of a call that is not done at its deadline. */
export function deadlineExceeded(): LhsError {
  return new LhsError('deadline_exceeded', 'the call was not done at its deadline');
}
