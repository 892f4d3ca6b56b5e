import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';

interface Cost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The cost of a hash: 19 MiB and two passes, the least that OWASP recommends for argon2id. */
const COST: Cost = Object.freeze({ memory: 19_456, passes: 2, parallelism: 1 });
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Hashes that are computed at once; each takes 19 MiB. */
const MOST_AT_ONCE = 2;
/** Least and most characters of a new password. */
const PASSWORD_CHARS = [8, 256] as const;

const ENCODED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/** A hash in the PHC format `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. Throws as `requireHashing`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await hashed(password, salt, COST);
  const { memory, passes, parallelism } = COST;
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(hash)}`;
}

/**
 * Whether a password has this hash. Without a hash (an unknown user, or one without a password)
 * the response is false after the same work.
 */
export async function verifyPassword(password: string, encoded: string | null): Promise<boolean> {
  const parts = ENCODED.exec(encoded ?? '');
  if (parts === null) {
    await hashed(password, randomBytes(SALT_BYTES), COST);
    return false;
  }
  const [memory, passes, parallelism] = parts.slice(1, 4).map(Number);
  const salt = Buffer.from(parts[4], 'base64');
  const hash = await hashed(password, salt, { memory, passes, parallelism });
  const stored = Buffer.from(parts[5], 'base64');
  return stored.length === hash.length && timingSafeEqual(stored, hash);
}

/** Refuses a new password that is too short or too long. Throws invalid_argument. */
export function requirePassword(password: string): string {
  const [least, most] = PASSWORD_CHARS;
  if (password.length >= least && password.length <= most) return password;
  const message = `a password has ${least} to ${most} characters, not ${password.length}`;
  throw new LhsError('invalid_argument', message);
}

/** Throws unsupported in a version of Node that cannot hash passwords. */
export function requireHashing(): void {
  if (typeof argon2 === 'function') return;
  const message = `accounts need Node 24.7 or newer, this is ${process.version}`;
  throw new LhsError('unsupported', message);
}

let running = 0;
const waiting: (() => void)[] = [];

async function hashed(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  if (running >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await argon2id(password, nonce, cost);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

function argon2id(message: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parameters = { ...cost, message, nonce, tagLength: HASH_BYTES };
    argon2('argon2id', parameters, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}
