import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { refuseAborted } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../limits.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';

/** Steps of work between two looks at the clock: a step takes 10 to 500 ns. */
const STEPS = 16_384;

/**
 * How long work may take, in milliseconds, and whose limit that is: it decides the error's code.
 */
export interface TimeLeft {
  readonly millis: number;
  readonly limit: 'query' | 'call';
}

/**
 * The time limit of one query. Long loops call `check` once per batch or `spend` once per step;
 * both throw when the time is over, so a query never blocks the thread for much longer than its
 * limit.
 */
export class Deadline {
  readonly #clock: Pick<Clock, 'ticks'>;
  readonly #end: number;
  #steps = STEPS;
  #late: (() => LhsError) | null = null;
  #signal: AbortSignal | undefined;

  /** The limit begins now. `clock` is the machine's by default. */
  constructor(millis: number = LIMITS.queryMillis, clock: Pick<Clock, 'ticks'> = SYSTEM_CLOCK) {
    this.#clock = clock;
    this.#end = clock.ticks() + millis;
  }

  /**
   * The limit of a call: its deadline, or that of a query where it is earlier. At the deadline
   * `check` throws deadline_exceeded; once the signal is aborted it throws interrupted.
   */
  static of(
    { deadline, signal }: Pick<CallContext, 'deadline' | 'signal'>,
    clock: Clock = SYSTEM_CLOCK,
  ): Deadline {
    const left = deadline === undefined ? Number.POSITIVE_INFINITY : deadline - clock.now();
    const own = new Deadline(Math.min(left, LIMITS.queryMillis), clock);
    if (left < LIMITS.queryMillis) own.#late = deadlineExceeded;
    own.#signal = signal;
    return own;
  }

  /** The time that is left, as plain values: `limited` makes a deadline of them elsewhere. */
  get left(): TimeLeft {
    return {
      millis: this.#end - this.#clock.ticks(),
      limit: this.#late === null ? 'query' : 'call',
    };
  }

  /** The signal that aborts the call, where it has one. */
  get signal(): AbortSignal | undefined {
    return this.#signal;
  }

  /** The deadline of work that has so much time left. */
  static limited(
    { millis, limit }: TimeLeft,
    signal?: AbortSignal,
    clock?: Pick<Clock, 'ticks'>,
  ): Deadline {
    const own = new Deadline(millis, clock);
    if (limit === 'call') own.#late = deadlineExceeded;
    own.#signal = signal;
    return own;
  }

  /** Throws limit_exceeded when the time is over, or deadline_exceeded for that of the call. */
  check(): void {
    refuseAborted(this.#signal);
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
    this.#steps -= steps;
    if (this.#steps > 0) return;
    this.#steps = STEPS;
    this.check();
  }
}

/** A deadline that never passes, for work that no query waits for. */
export const NO_DEADLINE: Deadline = new Deadline(Number.POSITIVE_INFINITY, { ticks: () => 0 });

/** The error of a call that is not done at its deadline. */
export function deadlineExceeded(): LhsError {
  return new LhsError('deadline_exceeded', 'the call was not done at its deadline');
}
