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
  // that of node:timers/promises builds an error for each signal
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, signal?.aborted ? 0 : ms);
      signal?.addEventListener('abort', end);
    }),
  random: () => Math.random(),
});
