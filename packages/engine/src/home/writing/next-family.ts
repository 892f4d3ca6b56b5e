import { hash } from 'node:crypto';

/** The UUID that follows another one: always the same. */
export function nextUuid(uuid: string): string {
  const [a, b, c, d, e] = [8, 12, 16, 20, 32];
  const hex = hash('sha256', uuid);
  return [
    [0, a],
    [a, b],
    [b, c],
    [c, d],
    [d, e],
  ]
    .map(([i, j]) => hex.slice(i, j))
    .join('-');
}

/** So often an index may come back to a place. */
const MOST_RETURNS = 1000;

/** Whether a UUID follows another one, by any number of steps up to the most. */
export function isNextOf(uuid: string, later: string): boolean {
  let next = uuid;
  for (let n = 0; n < MOST_RETURNS && next !== later; n++) next = nextUuid(next);
  return next === later;
}
