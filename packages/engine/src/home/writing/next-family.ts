import { hash } from 'node:crypto';

/** The UUID that follows another one: always the same. */
export const nextUuid = (uuid: string): string =>
  hash('sha256', uuid).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

/** So often an index may come back to a place. */
const MOST_RETURNS = 1000;

/** Whether a UUID follows another one, by any number of steps up to the most. */
export function isNextOf(uuid: string, later: string): boolean {
  let next = uuid;
  for (let n = 0; n < MOST_RETURNS && next !== later; n++) next = nextUuid(next);
  return next === later;
}
