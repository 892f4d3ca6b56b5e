import { randomBytes } from 'node:crypto';

const ACCEPTED = /^[\w.:+/=-]{1,128}$/;
const prefix = randomBytes(6).toString('base64url');
let count = 0;

/** The id that a caller gave its request, or a new one. */
export function requestId(given: string | readonly string[] | undefined): string {
  if (typeof given === 'string' && ACCEPTED.test(given)) return given;
  return `${prefix}-${(count++).toString(36)}`;
}
