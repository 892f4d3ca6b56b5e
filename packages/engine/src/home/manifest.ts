/**
 * The manifest of a backup: two lines of UTF-8.
 *
 *     {"format":"lhs-backup","version":2,"sha256":"<of the second line>","key_id":…,"signature":…}
 *     {...}    the properties of `BackupManifest`
 *
 * The signature is that of the data folder or the cluster that has made the backup; manifests of
 * older versions have none.
 *
 * What is read is not trusted: it may come from anybody who can write to the repository.
 */
import { hash, type KeyObject } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import {
  type Check,
  checkSavedQueryDraft,
  completeOf,
  type Fields,
  jsonValue,
  list,
  object,
  oneOf,
  orNull,
  record,
  text,
  utf8Text,
  whole,
  wrong,
} from '@lakehouse-search/contract/internal';
import type { OwnedQuery } from '../registry/saved-queries.ts';
import { damaged, inStore } from '../source/store-errors.ts';
import { isSignedBy, signLine } from './signing-key.ts';
import type { Home } from './stored-json.ts';

/** Bytes of a manifest, at most. */
const MANIFEST_BYTES = 256 * 2 ** 20;
const MOST_NAMES = 10_000;

/** What a backup says of itself, whatever its version. */
export interface BackupHead {
  readonly id: string;
  readonly index: string;
  /** Of the index in its registry. */
  readonly uuid: string;
  readonly created_ms: number;
  readonly definition: string;
  readonly definition_version: number;
  /** The folder that relative paths of the definition begin at; may be empty. */
  readonly base_dir: string;
  readonly table_uuid: string | null;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly num_docs: number;
  readonly aliases: readonly string[];
  readonly saved_queries: readonly OwnedQuery[];
}

/** A backup: a commit of a repository, which its manifest pins. */
export interface BackupManifest extends BackupHead {
  readonly file_count: number;
  /** Of all files. */
  readonly bytes: number;
  /** The published index that the commit is of: the index itself, or its backups. */
  readonly family: string;
  /** The commit, and the attempt that wrote it: the backup is there once the commit is. */
  readonly number: number;
  readonly attempt: string;
  /** Of what the commit says of bundles and files (backups.ts). */
  readonly sha256: string;
}

/** Two lines: a format with the SHA-256 and the signature of the second one, and a value. */
export function encodeLines(
  { format, version }: LineFormat,
  value: object,
  key?: KeyObject,
): Uint8Array {
  const body = JSON.stringify(value);
  const signed = key === undefined ? {} : signLine(format, body, key);
  const head = JSON.stringify({ format, version, sha256: sha256(body), ...signed });
  return Buffer.from(`${head}\n${body}\n`);
}

/** A format of two lines. */
export interface LineFormat {
  readonly format: string;
  readonly version: number;
}

/** The format of manifests that are written. */
export const BACKUP_LINES: LineFormat = Object.freeze({ format: 'lhs-backup', version: 2 });

/** A value of two lines. */
export interface SignedValue<T> {
  readonly value: T;
  /** Whether the reader's own key has signed it. */
  readonly isSigned: boolean;
}

/**
 * The second of two lines, compared with the first, of a version up to the format's. A wrong
 * signature of the reader's own key is a fault. Throws corrupt_index, or unsupported for a later
 * version.
 */
function decodeLines(
  { format: expected, version: newest }: LineFormat,
  bytes: Uint8Array,
  place: string,
  key?: KeyObject,
): SignedValue<object> & { readonly version: number } {
  const [head, body, ...rest] = textOf(bytes, place).split('\n');
  const first = jsonObject(head, place);
  const { format, version, sha256: sum } = first;
  if (format !== expected) throw damaged(place, 'it is no manifest of a backup');
  if (typeof version !== 'number' || !(version >= 1 && version <= newest)) {
    throw unknownVersion(place, version, newest);
  }
  if (body === undefined || rest.join('') !== '') throw damaged(place, 'it has not two lines');
  if (sum !== sha256(body)) throw damaged(place, 'its SHA-256 differs');
  const isSigned = key === undefined ? null : isSignedBy(key, expected, body, first);
  if (isSigned === false) throw damaged(place, 'its signature does not fit its contents');
  return { value: jsonObject(body, place), isSigned: isSigned ?? false, version };
}

/** Reads such lines; null if there are none. Throws as `decodeLines`, and as `inStore`. */
export async function readLines(
  { store, place }: Home,
  object: string,
  format: LineFormat,
  { signal, key }: SigningOptions,
): Promise<ReturnType<typeof decodeLines> | null> {
  const got = await inStore(() => store.get(object, { maxBytes: MANIFEST_BYTES, signal }));
  if (typeof got === 'string') return null;
  return decodeLines(format, got.bytes, `${place}/${object}`, key);
}

/** The key that signs backups and verifies them; absent: they are not signed. */
export interface SigningOptions {
  readonly signal?: AbortSignal | undefined;
  readonly key?: KeyObject | undefined;
}

function textOf(bytes: Uint8Array, place: string): string {
  try {
    return utf8Text(bytes, 'it');
  } catch (cause) {
    throw damaged(place, (cause as Error).message, cause);
  }
}

/** What `read` makes of a value, its saved queries checked. Throws corrupt_index. */
export function checkManifest<T extends Partial<BackupHead>>(place: string, read: () => T): T {
  try {
    const manifest = read();
    for (const { id: _, owner: __, ...draft } of manifest.saved_queries ?? []) {
      checkSavedQueryDraft(draft);
    }
    return manifest;
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    throw damaged(place, error.message, error);
  }
}

/** The version of a repository or a manifest that this program cannot read. */
export function unknownVersion(place: string, version: unknown, newest: number): LhsError {
  const known = `expected ${newest}${newest > 1 ? ' or lower' : ''}`;
  const message = `"${place}" has format version ${JSON.stringify(version)}, ${known}`;
  return new LhsError('unsupported', message, { hint: 'a newer lhs wrote it: update lhs' });
}

/** An object of JSON, or corrupt_index. */
export function jsonObject(json: string, place: string): Readonly<Record<string, unknown>> {
  try {
    const value = jsonValue(json, 'it');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
  } catch (cause) {
    throw damaged(place, (cause as Error).message, cause);
  }
  throw damaged(place, 'it is not an object of JSON');
}

const sha256 = (body: string): string => hash('sha256', body);

/** A check of texts of one form. */
export const matching =
  (pattern: RegExp, expected: string): Check =>
  (value, field) => {
    text(value, field);
    if (!pattern.test(value as string)) throw wrong(field, value, expected);
  };

const NAME = /^[a-z0-9][a-z0-9_-]{0,127}$/;
/** The id of a backup. */
export const BACKUP_ID = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

const count = whole(0, Number.MAX_SAFE_INTEGER);
/** A check of UUIDs. */
export const uuid = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID');
/** A check of names of indexes. */
export const indexName = matching(NAME, 'the name of an index');
/** A check of a SHA-256. */
export const sha256Check = matching(/^[0-9a-f]{64}$/, 'a SHA-256');
const QUERY: Fields<OwnedQuery> = {
  id: uuid,
  owner: text,
  name: text,
  description: text,
  mode: oneOf('lexical', 'semantic', 'hybrid'),
  request: object,
};
export const HEAD_FIELDS: Fields<BackupHead> = {
  id: matching(BACKUP_ID, 'the id of a backup'),
  index: indexName,
  uuid,
  created_ms: count,
  definition: text,
  definition_version: whole(1, Number.MAX_SAFE_INTEGER),
  base_dir: text,
  table_uuid: orNull(text),
  snapshot: orNull(text),
  index_generation: whole(1, 999_999_999),
  num_docs: count,
  aliases: list(indexName, MOST_NAMES),
  saved_queries: list(record(QUERY, ['id', 'owner', 'name', 'request']), 1 << 20),
};
const FIELDS: Fields<BackupManifest> = {
  ...{ ...HEAD_FIELDS, file_count: count, bytes: count },
  ...{ family: uuid, number: count, attempt: uuid, sha256: sha256Check },
};
/** The manifest in a value. Throws invalid_argument. */
export const readManifestFields = completeOf<BackupManifest>(FIELDS);
