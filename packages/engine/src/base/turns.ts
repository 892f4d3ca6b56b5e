const waiting: (() => void)[] = [];

/** Processor work that one turn of the event loop may hold, before other requests are served. */
const TURN_MS = 10;

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
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await ownTurn();
    began = performance.now();
  }
}
