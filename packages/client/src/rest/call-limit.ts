import { LhsError } from '@lakehouse-search/contract';
import type { TransportCall } from '../remote/transport.ts';
import { late } from '../remote/wanted.ts';
import type { CallLimit } from './exchange.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends a request when its caller aborts it, or at its deadline. */
export class RequestLimit implements CallLimit {
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #stop: (() => void) | undefined;
  #error: LhsError | undefined;

  constructor({ signal, deadline }: TransportCall) {
    this.#signal = signal;
    if (deadline !== undefined) {
      const pause = Math.min(Math.max(0, deadline - Date.now()), LONGEST_TIMER_MS);
      this.#timer = setTimeout(() => this.#over(late()), pause);
    }
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted) this.#abort();
  }

  /** The error of a request that was ended; undefined: none was. */
  get error(): LhsError | undefined {
    return this.#error;
  }

  onStop(stop: () => void): void {
    this.#stop = stop;
    if (this.#error !== undefined) stop();
  }

  /** Forgets signal and timer. */
  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  /** The same, and closes the connection if the request still uses it. */
  close(): void {
    this.end();
    this.#stop?.();
  }

  readonly #abort = (): void => this.#over(new LhsError('interrupted', 'interrupted'));

  #over(error: LhsError): void {
    this.#error ??= error;
    this.#stop?.();
  }
}
