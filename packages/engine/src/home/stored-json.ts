import { crc32 } from 'node:zlib';
import { LhsError } from '@lakehouse-search/contract';
import type { ObjectStore } from '@lakehouse-search/lake/internal';

/** An object store in which indexes are published. */
export interface Home {
  readonly store: ObjectStore;
  /** For messages. */
  readonly place: string;
}

/**
 * Takes the place of a commit, so that no late write takes its number: of a deleted backup, and of
 * a branch that never began. Former backups that were taken for dead have it, too.
 */
export const ENDED: Uint8Array = Buffer.from('ended\n');

/** A kind of objects of JSON. They are untrusted input: anybody may have written to the store. */
export interface StoredKind<T> {
  readonly maxBytes: number;
  /** Throws invalid_argument for a value that is none; other errors are thrown as they are. */
  readonly check: (json: unknown, path: string) => T;
  /** The error of an object that is not as it was written. */
  readonly fault: (path: string, what: string, cause?: unknown) => LhsError;
}

const CHECKSUM = ',"crc":';

/** An object as it is stored: its last member is the CRC-32 of all bytes before this. */
export function encodeStored(value: object): Buffer {
  const members = JSON.stringify(value).slice(0, -1);
  return Buffer.from(`${members}${CHECKSUM}${crc32(members)}}`);
}

/** Reads an object of JSON; null: there is none, or it is `ENDED`. Throws as its kind says. */
export async function readStored<T>(
  { store, place }: Home,
  key: string,
  { maxBytes, check, fault }: StoredKind<T>,
  signal?: AbortSignal,
): Promise<{ readonly value: T; readonly etag: string } | null> {
  const found = await store.get(key, { maxBytes, signal });
  if (typeof found === 'string' || found.bytes.equals(ENDED)) return null;
  const path = `${place}/${key}`;
  try {
    const json = jsonOf(found.bytes);
    if (json === null) throw fault(path, 'it is no JSON');
    const { crc, ...value } = json;
    // older versions wrote none
    if (crc === undefined) return { value: check(json, path), etag: found.etag };
    if (crc !== checksumOf(found.bytes)) throw fault(path, 'its checksum differs');
    return { value: check(value, path), etag: found.etag };
  } catch (error) {
    const isCheck = error instanceof LhsError && error.code === 'invalid_argument';
    throw isCheck ? fault(path, error.message, error) : error;
  }
}

const checksumOf = (bytes: Buffer): number => crc32(bytes.subarray(0, bytes.lastIndexOf(CHECKSUM)));

/** JSON of an object; null: it is none. */
function jsonOf(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}
