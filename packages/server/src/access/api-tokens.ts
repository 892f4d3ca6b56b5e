import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { StoredToken } from '../store/tokens.ts';

const SECRET_BYTES = 32;
const FORM = /^lhs_([0-9a-f]{32})_([\w-]{43})$/;

/** The parts of an API token: `lhs_<id>_<secret>`. */
export interface ApiToken {
  readonly id: string;
  readonly secret: string;
}

/** A new API token of 256 random bits. */
export function newApiToken(): ApiToken {
  const id = randomUUID().replaceAll('-', '');
  return { id, secret: randomBytes(SECRET_BYTES).toString('base64url') };
}

/** The token as its owner sends it. */
export const apiTokenText = ({ id, secret }: ApiToken): string => `lhs_${id}_${secret}`;

/** The parts of a token that was sent; undefined if it has another form. */
export function parseApiToken(text: string): ApiToken | undefined {
  const parts = FORM.exec(text);
  return parts === null ? undefined : { id: parts[1], secret: parts[2] };
}

/** What is stored of a secret. A random secret needs no slow hash. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');

/** Whether a stored token has this secret and has not expired. Compares in constant time. */
export function isValidToken(stored: StoredToken, secret: string, now: number): boolean {
  const [own, given] = [stored.secretHash, hashSecret(secret)].map((text) => Buffer.from(text));
  const isEqual = own.length === given.length && timingSafeEqual(own, given);
  return isEqual && (stored.expiresMs === null || now < stored.expiresMs);
}
