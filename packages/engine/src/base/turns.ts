const waiting: (() => void)[] = [];

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
