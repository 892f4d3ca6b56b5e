const waiting: (() => void)[] = [];

/** Processor work that one turn of the event loop may hold, before other requests are served. */
const TURN_MS = 5;

/**
 * Waits for a turn of the event loop in which no other caller of this function goes on: many loops
 * over short steps do not add up to one long one.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/**
 * Runs work in steps, which begins at once. After some milliseconds, the next steps have a turn of
 * their own. Throws what a step throws.
 */
export async function inTurns<T>(steps: Iterator<unknown, T, undefined>): Promise<T> {
  const pause = pauses();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const paused = pause();
    if (paused !== undefined) await paused;
  }
}

/** As `inTurns`; the result of work that ends in the turn in which it began is there at once. */
export function atOnceOrInTurns<T>(steps: Iterator<unknown, T, undefined>): T | Promise<T> {
  const pause = pauses();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const paused = pause();
    if (paused !== undefined) return paused.then(() => inTurns(steps));
  }
}

/** Runs all steps in this turn. */
export function inOneTurn<T>(steps: Iterator<unknown, T, undefined>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Waits for a turn of its own once some milliseconds have passed since the last one. */
export function pauses(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < TURN_MS) return undefined;
    return ownTurn().then(() => {
      began = performance.now();
    });
  };
}

/** Items that are looked at before the clock is. */
const STEP_ITEMS = 100;

/** The results of a function for each item of a list, in several turns if there are many. */
export function mapInTurns<T, R>(
  items: readonly T[],
  of: (item: T, at: number) => R,
): Promise<R[]> {
  return inTurns(mapping(items, of));
}

function* mapping<T, R>(
  items: readonly T[],
  of: (item: T, at: number) => R,
): Generator<void, R[], undefined> {
  const results: R[] = [];
  for (const [at, item] of items.entries()) {
    results.push(of(item, at));
    if (at % STEP_ITEMS === 0) yield;
  }
  return results;
}
