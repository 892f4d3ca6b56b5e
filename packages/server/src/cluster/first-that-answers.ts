import { LhsError } from '@lakehouse-search/contract';

/**
 * Processes that can replace each other, such as control planes: a call goes to the one that
 * answered last, then to the others. A process that does not answer is tried last from then on.
 */
export class FirstThatAnswers<T> {
  #all: readonly T[];

  constructor(all: readonly T[]) {
    this.#all = all;
  }

  get all(): readonly T[] {
    return this.#all;
  }

  /**
   * Throws unreachable if none answers, and what the first one that answers throws. A call that is
   * not idempotent goes to another process only if it was not sent.
   */
  async call<R>(work: (one: T) => Promise<R>, isIdempotent = true): Promise<R> {
    let fault: unknown = new LhsError('unreachable', 'no control plane is configured');
    for (const one of this.#all) {
      try {
        return await work(one);
      } catch (error) {
        if (!isSilent(error)) throw error;
        this.#avoid(one);
        if (!isIdempotent && error.details.sent !== false) throw error;
        fault = error;
      }
    }
    throw fault;
  }

  /** The items of a stream. It moves to another process only before the first item. */
  async *items<R>(work: (one: T) => AsyncIterable<R>): AsyncGenerator<R> {
    let fault: unknown = new LhsError('unreachable', 'no control plane is configured');
    for (const one of this.#all) {
      let begun = false;
      try {
        for await (const item of work(one)) {
          begun = true;
          yield item;
        }
        return;
      } catch (error) {
        if (begun || !isSilent(error)) throw error;
        fault = error;
      }
    }
    throw fault;
  }

  #avoid(one: T): void {
    this.#all = [...this.#all.filter((each) => each !== one), one];
  }
}

/** The process does not answer. */
const isSilent = (error: unknown): error is LhsError =>
  error instanceof LhsError && error.code === 'unreachable';
