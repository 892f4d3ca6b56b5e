import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { ioError, systemCode } from '../storage/io-errors.ts';
import { makeFolder, syncFolder } from '../storage/make-folder.ts';

/** The private key in the data folder: PEM (PKCS 8), readable by its owner only. */
export const RECEIPT_KEY_FILE = 'erasure-key.pem';

/**
 * The key of a data folder, made at its first use; two processes at once make one. Throws io_error,
 * and corrupt_index if the file is no Ed25519 key.
 */
export function receiptKey(dataDir: string): KeyObject {
  const path = join(dataDir, RECEIPT_KEY_FILE);
  return readKey(path) ?? makeKey(dataDir, path);
}

/** The key of a data folder, which is not made. Throws not_found too. */
export function existingReceiptKey(dataDir: string): KeyObject {
  const key = readKey(join(dataDir, RECEIPT_KEY_FILE));
  if (key !== null) return key;
  throw new LhsError('not_found', 'this data folder has no key: it has signed no receipts', {
    hint: 'name the public key of the receipt',
  });
}

/** The public key in PEM. */
export function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;
}

function readKey(path: string): KeyObject | null {
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw ioError(error, 'read', path);
  }
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (cause) {
    throw damagedKey(path, cause);
  }
  throw damagedKey(path);
}

function damagedKey(path: string, cause?: unknown): LhsError {
  return new LhsError('corrupt_index', `"${path}" is not an Ed25519 key in PEM`, {
    hint: 'restore it from a copy; to verify former receipts, name its public key',
    cause,
  });
}

function makeKey(dataDir: string, path: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519');
  const draft = `${path}.${randomUUID()}.tmp`;
  makeFolder(dataDir);
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    const descriptor = openSync(draft, flags, 0o600);
    try {
      writeFileSync(descriptor, privateKey.export({ type: 'pkcs8', format: 'pem' }));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // fails if another process has made a key meanwhile: then that one counts
    linkSync(draft, path);
    syncFolder(dataDir);
    return privateKey;
  } catch (error) {
    const other = systemCode(error) === 'EEXIST' ? readKey(path) : null;
    if (other !== null) return other;
    throw ioError(error, 'make', path);
  } finally {
    rmSync(draft, { force: true });
  }
}
