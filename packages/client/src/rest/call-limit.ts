import type { LhsError } from '@lakehouse-search/contract';
import type { TransportCall } from '../remote/transport.ts';
import { watchEnd } from '../remote/wanted.ts';
import type { CallLimit } from './exchange.ts';

/** Ends a request when its caller aborts it, or at its deadline. */
export class RequestLimit implements CallLimit {
  /** Forgets signal and timer. */
  readonly end: () => void;
  #stop: (() => void) | undefined;
  #error: LhsError | undefined;

  constructor(call: TransportCall) {
    this.end = watchEnd(call, (error) => this.#over(error));
  }

  /** The error of a request that was ended; undefined: none was. */
  get error(): LhsError | undefined {
    return this.#error;
  }

  onStop(stop: () => void): void {
    this.#stop = stop;
    if (this.#error !== undefined) stop();
  }

  /** As `end`, and closes the connection if the request still uses it. */
  close(): void {
    this.end();
    this.#stop?.();
  }

  #over(error: LhsError): void {
    this.#error ??= error;
    this.#stop?.();
  }
}
