import { LhsError } from '@lakehouse-search/contract';

/**
 * When the loops of a process ended a round last, whether the round succeeded or failed. A loop
 * that waits for something that never comes ends no round.
 */
export class WorkWatch {
  readonly #now: () => number;
  readonly #ended = new Map<string, number>();

  /** `now`: milliseconds of a clock that does not jump. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes that a loop began, or ended a round. */
  round(loop: string): void {
    this.#ended.set(loop, this.#now());
  }

  /** Forgets a loop that does not run any more. */
  forget(loop: string): void {
    this.#ended.delete(loop);
  }

  /** Throws unreachable if a loop has ended no round for so many milliseconds. */
  requireRounds(ms: number): void {
    for (const [loop, ended] of this.#ended) {
      const silent = this.#now() - ended;
      if (silent <= ms) continue;
      const seconds = Math.round(silent / 1000);
      throw new LhsError('unreachable', `the ${loop} has waited for ${seconds} s for an answer`, {
        hint: 'a database or a node does not answer: see the log of this process',
      });
    }
  }
}
