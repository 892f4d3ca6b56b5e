import { setImmediate } from 'node:timers/promises';
import { refuseAborted } from '@lakehouse-search/contract/internal';

/**
 * Long synchronous work in steps. Each yield says which part of the work is done, 0 to 1; after it
 * the caller may let other work run, or end this one (`return`). A step takes some milliseconds.
 */
export type Steps<T> = Generator<number, T, undefined>;

/** So long steps run before signals and timers get their turn. */
const TURN_MS = 10;
/** Progress is reported at most this often. */
export const REPORT_MS = 250;

/** Runs all steps at once. `report` receives the part that is done. */
export function runSteps<T>(steps: Steps<T>, report: (part: number) => void = () => {}): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
    report(next.value);
  }
}

/** Steps as the part from `from` to `to` of larger work. */
export function* partOf<T>(steps: Steps<T>, from: number, to: number): Steps<T> {
  try {
    for (;;) {
      const next = steps.next();
      if (next.done === true) return next.value;
      yield from + (to - from) * next.value;
    }
  } finally {
    steps.return(undefined as T);
  }
}

/** Receives the progress of the steps, at most every `REPORT_MS`, and stops them. */
export interface StepOptions {
  readonly signal?: AbortSignal;
  readonly report?: (part: number) => void;
}

/**
 * Runs steps and lets signals, timers and other work have a turn between them. Throws interrupted
 * soon after `signal` aborts, and what a step throws.
 */
export async function takeSteps<T>(steps: Steps<T>, options: StepOptions = {}): Promise<T> {
  const { signal, report = () => {} } = options;
  const tell = atIntervals(report);
  let turn = performance.now();
  try {
    for (;;) {
      refuseAborted(signal);
      const next = steps.next();
      if (next.done === true) return next.value;
      if (performance.now() - turn < TURN_MS) continue;
      tell(next.value);
      await setImmediate();
      turn = performance.now();
    }
  } finally {
    steps.return(undefined as T);
  }
}

/** Calls `report` at most every `REPORT_MS`. */
export function atIntervals(report: (part: number) => void): (part: number) => void {
  let last = performance.now();
  return (part) => {
    const now = performance.now();
    if (now - last < REPORT_MS) return;
    last = now;
    report(part);
  };
}
