import { setTimeout } from 'node:timers/promises';

/** Time and chance, as what waits and what tries again take them; tests put their own under it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment; never set back, whatever happens to the clock on the wall. */
  ticks(): number;
  /** Ends after `ms`, or at once when `signal` is aborted; throws nothing. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to, but without, 1. */
  random(): number;
}

/** The clock of this machine. */
export const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => Date.now(),
  ticks: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
      if (signal?.aborted !== true) throw error;
    }),
  random: () => Math.random(),
});
