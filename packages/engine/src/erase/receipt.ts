/**
 * Receipts: a statement, signed with Ed25519 over its canonical JSON (members sorted by name, no
 * whitespace). A statement contains the keys of rows as scrypt hashes with one salt per receipt. A
 * known key is checked by hashing it again; to find an unknown one, an attacker has to try keys, at
 * about 50 ms each.
 */
import { createPublicKey, type KeyObject, scrypt, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import {
  type Coordinates,
  type ErasureReceipt,
  type ErasureStatement,
  LhsError,
  type ReceiptVerdict,
  type VerifyReceiptRequest,
} from '@lakehouse-search/contract';
import {
  type Check,
  checkVerifyReceiptRequest,
  flag,
  list,
  number,
  object,
  oneOf,
  orNull,
  REQUEST_LIMITS,
  record,
  text,
  whole,
  wrong,
} from '@lakehouse-search/contract/internal';
import { keyId } from '../home/signing-key.ts';

const FORMAT = 'lhs-erasure-receipt';
const VERSION = 1;
const HASH_BYTES = 32;
const COST = { N: 16384, r: 8, p: 1 };

/** Objects by sorted names: two equal values have one text. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`);
  return `{${members.join(',')}}`;
}

/**
 * Hashes of keys as statements contain them, in hexadecimal. The order of key columns does not
 * matter.
 */
export async function keyHashes(
  salt: Uint8Array,
  keys: readonly Coordinates[],
): Promise<readonly string[]> {
  const derive = promisify<string, Uint8Array, number, typeof COST, Buffer>(scrypt);
  const hashes: string[] = [];
  for (const { partition = [], identifier } of keys) {
    const columns = [...partition, ...identifier].map(({ name, value }) => [name, value]);
    const json = canonicalJson(Object.fromEntries(columns));
    hashes.push((await derive(json, salt, HASH_BYTES, COST)).toString('hex'));
  }
  return hashes;
}

/** Signs a statement. */
export function signReceipt(statement: ErasureStatement, privateKey: KeyObject): ErasureReceipt {
  const bytes = Buffer.from(canonicalJson(statement));
  const signature = sign(null, bytes, privateKey).toString('base64');
  return { format: FORMAT, version: VERSION, statement, key_id: keyId(privateKey), signature };
}

/** A public key in PEM. Throws invalid_argument for another text or another kind of key. */
export function readPublicKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw new LhsError('invalid_argument', 'the public key is not in PEM', { cause });
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  const message = `the public key is of the kind "${key.asymmetricKeyType}", expected ed25519`;
  throw new LhsError('invalid_argument', message);
}

/** Verifies a receipt with a public key, without a data folder. Throws invalid_argument. */
export async function verifyReceiptOffline(
  request: VerifyReceiptRequest & { readonly public_key: string },
): Promise<ReceiptVerdict> {
  const { receipt, public_key, keys } = checkVerifyReceiptRequest(request);
  return verifyReceipt(receipt, readPublicKey(public_key ?? ''), keys);
}

/** Whether a receipt is genuine, and which keys it covers. Takes any value. */
export async function verifyReceipt(
  value: unknown,
  publicKey: KeyObject,
  keys: readonly Coordinates[] = [],
): Promise<ReceiptVerdict> {
  const invalid = (reason: string): ReceiptVerdict => ({ valid: false, reason, covered: [] });
  try {
    RECEIPT(value, '');
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return invalid(`it is not a receipt: ${error.message}`);
  }
  const { statement, signature, key_id } = value as ErasureReceipt;
  const bytes = Buffer.from(canonicalJson(statement));
  if (key_id !== keyId(publicKey)) {
    return { ...invalid(`it was signed with the key ${key_id}, not ${keyId(publicKey)}`), key_id };
  }
  if (!verify(null, bytes, publicKey, Buffer.from(signature, 'base64'))) {
    return { ...invalid('the signature does not fit the statement'), key_id };
  }
  const hashes = await keyHashes(Buffer.from(statement.keys.salt, 'hex'), keys);
  const covered = hashes.map((hash) => statement.keys.hashes.includes(hash));
  return { valid: true, key_id, statement, covered };
}

const matching =
  (pattern: RegExp, expected: string): Check =>
  (given, field) => {
    text(given, field);
    if (!pattern.test(given as string)) throw wrong(field, given, expected);
  };

const hex = (digits: number): Check =>
  matching(new RegExp(`^[0-9a-f]{${digits}}$`), `${digits} hexadecimal digits`);
const strict = (fields: Readonly<Record<string, Check>>, optional: readonly string[] = []): Check =>
  record(
    fields,
    Object.keys(fields).filter((name) => !optional.includes(name)),
  );
const count = whole(0, Number.MAX_SAFE_INTEGER);
const MOST = 1 << 20;
const keyNumbers = list(count, REQUEST_LIMITS.erasedKeys);
const digest = strict({ where: text, sha256: hex(64) });
const REMAIN = strict({ place: text, key: orNull(count), goes: text, until: text }, ['until']);
const counts: Check = (value, field) => {
  object(value, field);
  for (const [name, one] of Object.entries(value as object)) number(one, `${field}.${name}`);
};
const objects = strict({ deleted: list(text, MOST), written: list(text, MOST) });
const STATEMENT_FIELDS = {
  index: text,
  index_uuid: text,
  table_uuid: text,
  snapshot: orNull(text),
  started_at: text,
  ended_at: text,
  keys: strict({ salt: hex(32), hashes: list(hex(2 * HASH_BYTES), REQUEST_LIMITS.erasedKeys) }),
  clean: flag,
  deep: flag,
  actions: counts,
  examined: counts,
  remains: list(REMAIN, MOST),
  table_snapshots: list(strict({ snapshot: text, committed_at: text, keys: keyNumbers }), MOST),
  commits: list(digest, MOST),
  files: digest,
  objects,
  notes: list(text, MOST),
};
const STATEMENT = strict(STATEMENT_FIELDS, ['objects']);
const RECEIPT = strict({
  format: oneOf(FORMAT),
  version: whole(VERSION, VERSION),
  statement: STATEMENT,
  key_id: hex(16),
  signature: matching(/^[A-Za-z0-9+/]{86}==$/, 'an Ed25519 signature in base64'),
});
