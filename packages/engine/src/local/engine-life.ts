import { engineClosed } from '../base/engine-closed.ts';

/**
 * The calls of an engine between its opening and its end. `close` refuses new calls, stops the ones
 * that heed a signal, waits for all of them, and then releases what they use.
 */
export class EngineLife {
  readonly #stop = new AbortController();
  readonly #calls = new Set<Promise<unknown>>();
  readonly #streams = new Set<AsyncGenerator>();
  #end: Promise<void> | null = null;

  /** True once `close` was called. */
  get closed(): boolean {
    return this.#end !== null;
  }

  /** Aborted when `close` is called. */
  get closing(): AbortSignal {
    return this.#stop.signal;
  }

  /** A call. Throws closed if the engine is closed before it ends and it fails. */
  async call<T>(work: () => Promise<T>): Promise<T> {
    return this.callAtOnce(work);
  }

  /** The same for work that may have its result at once, without a promise. */
  callAtOnce<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.closed) throw engineClosed();
    const running = work();
    return running instanceof Promise ? this.#untilEnd(running) : running;
  }

  async #untilEnd<T>(running: Promise<T>): Promise<T> {
    this.#calls.add(running);
    try {
      return await running;
    } catch (error) {
      throw this.closed ? engineClosed(error) : error;
    } finally {
      this.#calls.delete(running);
    }
  }

  /**
   * The items of a generator, until the engine is closed: then it ends, or throws closed if `whole`
   * says that an early end would look like the whole answer.
   */
  async *stream<T>(begin: () => AsyncGenerator<T>, whole: boolean): AsyncGenerator<T> {
    if (this.closed) throw engineClosed();
    const items = begin();
    this.#streams.add(items);
    try {
      yield* items;
    } catch (error) {
      throw this.closed ? engineClosed(error) : error;
    } finally {
      this.#streams.delete(items);
    }
    if (this.closed && whole) throw engineClosed();
  }

  /** Options of long work that `close` stops too. */
  stoppable<W extends { readonly signal?: AbortSignal }>(work: W): W {
    const { signal } = this.#stop;
    return { ...work, signal: work.signal ? AbortSignal.any([work.signal, signal]) : signal };
  }

  /**
   * Ends the calls, then runs `release`; those that have not ended when `patience` is over are
   * waited for no longer. Idempotent: all calls of it end together.
   */
  close(patience: (signal: AbortSignal) => Promise<void>, release: () => Promise<void>) {
    this.#end ??= this.#close(patience, release);
    return this.#end;
  }

  async #close(
    patience: (signal: AbortSignal) => Promise<void>,
    release: () => Promise<void>,
  ): Promise<void> {
    this.#stop.abort();
    const streams = [...this.#streams].map((items) => items.return(undefined));
    const ended = new AbortController();
    const late = patience(ended.signal);
    await Promise.race([Promise.allSettled([...this.#calls, ...streams]), late]);
    ended.abort();
    await release();
  }
}
