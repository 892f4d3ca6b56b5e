import { LhsError } from '@lakehouse-search/contract';

/** Looks at a reader in its time. */
const LOOKS = 4;

/** Ends a stream whose reader takes nothing for a while: what is read for it fills memory. */
export class ReaderWatch {
  readonly #ms: number;
  readonly #timer: NodeJS.Timeout;
  #since: number | null = null;

  /** `stopped` is called once, when the reader has taken nothing for `ms`. */
  constructor(ms: number, stopped: (error: LhsError) => void) {
    this.#ms = ms;
    const look = () => {
      if (this.#since === null || performance.now() - this.#since < this.#ms) return;
      this.end();
      stopped(new LhsError('interrupted', `the client took nothing for ${ms} ms`));
    };
    this.#timer = setInterval(look, Math.max(1, ms / LOOKS)).unref();
  }

  /** Something waits for the reader. */
  offered(): void {
    this.#since ??= performance.now();
  }

  /** The reader has taken what waited. */
  taken(): void {
    this.#since = null;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
