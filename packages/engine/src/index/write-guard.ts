import { LhsError } from '@lakehouse-search/contract';
import { type StepOptions, type Steps, takeSteps } from '../base/steps.ts';
import { unlessStopped } from './build-threads.ts';

/**
 * Runs the steps of a writer. After an error no further step runs before `reset`: what the disk
 * holds is unknown until the commit is read.
 */
export class WriteGuard {
  #failure: unknown = null;

  get isSound(): boolean {
    return this.#failure === null;
  }

  /** Lets steps run again. */
  reset(): void {
    this.#failure = null;
  }

  /** Runs a step. Throws what it throws, io_error after an error. */
  run<T>(step: () => T): T {
    this.#requireSound();
    try {
      return step();
    } catch (error) {
      return this.fail(error);
    }
  }

  /** Takes the steps of long work. */
  async take(steps: Steps<void>, options: StepOptions): Promise<void> {
    this.#requireSound();
    try {
      await takeSteps(steps, options);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Waits for work of others, until the signal aborts. */
  async wait<T>(work: Promise<T>, { signal }: StepOptions): Promise<T> {
    try {
      return await unlessStopped(work, signal);
    } catch (error) {
      return this.fail(error);
    }
  }

  /** Notes an error and throws it. */
  fail(error: unknown): never {
    this.#failure = error;
    throw error;
  }

  #requireSound(): void {
    if (this.#failure === null) return;
    const why = this.#failure instanceof Error ? this.#failure.message : String(this.#failure);
    throw new LhsError('io_error', `the index writer has stopped: ${why}`, {
      hint: 'roll back, or open the index again; the last commit is in force',
      cause: this.#failure,
    });
  }
}
