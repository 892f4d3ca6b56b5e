import crypto, { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';

/** How a hash is computed. Costs are part of each hash, so they can change. */
type Scheme =
  | {
      readonly kind: 'argon2id';
      /** KiB. */
      readonly memory: number;
      readonly passes: number;
      readonly parallelism: number;
    }
  | {
      readonly kind: 'scrypt';
      /** Binary logarithm of the number of blocks. */
      readonly logBlocks: number;
      readonly blockSize: number;
      readonly parallelism: number;
    };

interface EncodedHash {
  readonly scheme: Scheme;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/**
 * The scheme of new hashes: 16 to 19 MiB each, with the lowest costs that the OWASP Password
 * Storage Cheat Sheet recommends. Node has argon2id from version 24.7 on.
 */
const SCHEME: Scheme =
  typeof crypto.argon2 === 'function'
    ? { kind: 'argon2id', memory: 19_456, passes: 2, parallelism: 1 }
    : { kind: 'scrypt', logBlocks: 14, blockSize: 8, parallelism: 5 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Hashes that are computed at once; each takes 19 MiB. */
const MAX_AT_ONCE = 2;
const SCRYPT_MAX_BYTES = 64 * 2 ** 20;
const MIN_PASSWORD_CHARS = 8;
const MAX_PASSWORD_CHARS = 256;

const ARGON2ID = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;
const SCRYPT = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/** Returns a hash in the PHC string format, such as `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await computeHash(password, salt, SCHEME);
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `${parametersOf(SCHEME)}$${text(salt)}$${text(hash)}`;
}

/**
 * Returns whether a password has this hash. Without a hash (an unknown user, or one without a
 * password) it returns false after the same work. Throws unsupported if this version of Node
 * cannot compute the hash.
 */
export async function verifyPassword(password: string, encoded: string | null): Promise<boolean> {
  const stored = decodeHash(encoded ?? '');
  if (stored === null) {
    await computeHash(password, randomBytes(SALT_BYTES), SCHEME);
    return false;
  }
  const hash = await computeHash(password, stored.salt, stored.scheme);
  return stored.hash.length === hash.length && timingSafeEqual(stored.hash, hash);
}

/** Refuses a new password that is too short or too long. Throws invalid_argument. */
export function requirePassword(password: string): string {
  const { length } = password;
  if (length >= MIN_PASSWORD_CHARS && length <= MAX_PASSWORD_CHARS) return password;
  const range = `${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS}`;
  throw new LhsError('invalid_argument', `a password has ${range} characters, not ${length}`);
}

function parametersOf(scheme: Scheme): string {
  if (scheme.kind === 'scrypt') {
    return `$scrypt$ln=${scheme.logBlocks},r=${scheme.blockSize},p=${scheme.parallelism}`;
  }
  return `$argon2id$v=19$m=${scheme.memory},t=${scheme.passes},p=${scheme.parallelism}`;
}

/** Reads a hash in the PHC string format; null if it is none. */
function decodeHash(encoded: string): EncodedHash | null {
  const parts = ARGON2ID.exec(encoded) ?? SCRYPT.exec(encoded);
  if (parts === null) return null;
  const [first, second, parallelism] = parts.slice(1, 4).map(Number);
  const scheme: Scheme = encoded.startsWith('$scrypt$')
    ? { kind: 'scrypt', logBlocks: first, blockSize: second, parallelism }
    : { kind: 'argon2id', memory: first, passes: second, parallelism };
  const [salt, hash] = parts.slice(4).map((text) => Buffer.from(text, 'base64'));
  return { scheme, salt, hash };
}

let running = 0;
const waiting: (() => void)[] = [];

async function computeHash(password: string, salt: Buffer, scheme: Scheme): Promise<Buffer> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await runScheme(password, salt, scheme);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

function runScheme(message: string, salt: Buffer, scheme: Scheme): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, hash: Buffer) => (error ? reject(error) : resolve(hash));
    if (scheme.kind === 'scrypt') {
      const { blockSize, parallelism } = scheme;
      const N = 2 ** scheme.logBlocks;
      const options = { N, r: blockSize, p: parallelism, maxmem: SCRYPT_MAX_BYTES };
      scrypt(message, salt, HASH_BYTES, options, done);
    } else {
      requireArgon2();
      const { memory, passes, parallelism } = scheme;
      const cost = { memory, passes, parallelism };
      crypto.argon2('argon2id', { ...cost, message, nonce: salt, tagLength: HASH_BYTES }, done);
    }
  });
}

/** Throws unsupported: hashes that a newer Node wrote need that Node. */
function requireArgon2(): void {
  if (typeof crypto.argon2 === 'function') return;
  throw new LhsError(
    'unsupported',
    `this password was hashed with argon2id, which needs Node 24.7; this is ${process.version}`,
    { hint: 'run the service with Node 24.7 or newer, or set the password again' },
  );
}
