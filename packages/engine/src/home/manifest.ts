/**
 * The manifest of a backup: two lines of UTF-8.
 *
 *     {"format":"lhs-backup","version":1,"sha256":"<of the second line>","key_id":…,"signature":…}
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
  type Fields,
  jsonValue,
  list,
  object,
  oneOf,
  orNull,
  record,
  requestOf,
  text,
  utf8Text,
  whole,
  wrong,
} from '@lakehouse-search/contract/internal';
import type { OwnedQuery } from '../registry/saved-queries.ts';
import { damaged } from '../source/store-errors.ts';
import { isSignedBy, signLine } from './signing-key.ts';

const FORMAT = 'lhs-backup';
const VERSION = 1;

/** Bytes of a manifest, at most. */
export const MANIFEST_BYTES = 256 * 2 ** 20;
/** Bytes of a chunk, at most. */
export const MOST_CHUNK_BYTES = 16 * 2 ** 20;
const MOST_FILES = 1 << 20;
const MOST_NAMES = 10_000;

/** A piece of a file, which is an object of its own. */
export interface BackupChunk {
  /** Of its bytes, hexadecimal. */
  readonly sha256: string;
  readonly length: number;
}

/** A file: its chunks in a row. */
export interface BackupFile {
  /** `generation/<name>`, or `embeddings/<model>/<name>`. */
  readonly path: string;
  readonly length: number;
  /** The CRC-32 that the commit has of it. Absent: the commit does not name it. */
  readonly crc?: number;
  readonly chunks: readonly BackupChunk[];
}

/** All that an index is at one commit. */
export interface BackupManifest {
  readonly id: string;
  readonly index: string;
  /** Of the index in its registry: backups with one UUID share files. */
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
  readonly files: readonly BackupFile[];
}

/** Bytes of all files. */
export const manifestBytes = ({ files }: BackupManifest): number =>
  files.reduce((sum, { length }) => sum + length, 0);

/** The bytes of a manifest, signed with a key. */
export const encodeManifest = (manifest: BackupManifest, key?: KeyObject): Uint8Array =>
  encodeLines(FORMAT, manifest, key);

/** Two lines: a format with the SHA-256 and the signature of the second one, and a value. */
export function encodeLines(format: string, value: object, key?: KeyObject): Uint8Array {
  const body = JSON.stringify(value);
  const signed = key === undefined ? {} : signLine(format, body, key);
  const head = JSON.stringify({ format, version: VERSION, sha256: sha256(body), ...signed });
  return Buffer.from(`${head}\n${body}\n`);
}

/** A value of two lines. */
export interface SignedValue<T> {
  readonly value: T;
  /** Whether the reader's own key has signed it. */
  readonly isSigned: boolean;
}

/**
 * The manifest of these bytes, checked. `place` is its path for messages. Throws corrupt_index, or
 * unsupported for another version.
 */
export function decodeManifest(
  bytes: Uint8Array,
  place: string,
  key?: KeyObject,
): SignedValue<BackupManifest> {
  const { value, isSigned } = decodeLines(FORMAT, bytes, place, key);
  return { value: checkManifest(value, place), isSigned };
}

/**
 * The second of two lines, compared with the first. A wrong signature of the reader's own key is a
 * fault. Throws as `decodeManifest`.
 */
export function decodeLines(
  expected: string,
  bytes: Uint8Array,
  place: string,
  key?: KeyObject,
): SignedValue<object> {
  const [head, body, ...rest] = textOf(bytes, place).split('\n');
  const first = jsonObject(head, place);
  const { format, version, sha256: sum } = first;
  if (format !== expected) throw damaged(place, 'it is no manifest of a backup');
  if (version !== VERSION) throw unknownVersion(place, version);
  if (body === undefined || rest.join('') !== '') throw damaged(place, 'it has not two lines');
  if (sum !== sha256(body)) throw damaged(place, 'its SHA-256 differs');
  const isSigned = key === undefined ? null : isSignedBy(key, expected, body, first);
  if (isSigned === false) throw damaged(place, 'its signature does not fit its contents');
  return { value: jsonObject(body, place), isSigned: isSigned ?? false };
}

function textOf(bytes: Uint8Array, place: string): string {
  try {
    return utf8Text(bytes, 'it');
  } catch (cause) {
    throw damaged(place, (cause as Error).message, cause);
  }
}

/** Throws corrupt_index unless a value is a manifest whose paths and lengths are possible. */
function checkManifest(value: unknown, place: string): BackupManifest {
  try {
    const manifest = readManifest(value);
    for (const { id: _, owner: __, ...draft } of manifest.saved_queries) {
      checkSavedQueryDraft(draft);
    }
    const paths = new Set(manifest.files.map((file) => file.path));
    if (paths.size < manifest.files.length) throw wrong('files', 'twice', 'each path once');
    for (const file of manifest.files) checkLengths(file);
    return manifest;
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    throw damaged(place, error.message, error);
  }
}

function checkLengths({ path, length, chunks }: BackupFile): void {
  const sum = chunks.reduce((bytes, chunk) => bytes + chunk.length, 0);
  if (sum !== length) throw wrong(path, length, `${sum} bytes, as many as its chunks have`);
}

/** The version of a repository or a manifest that this program cannot read. */
export function unknownVersion(place: string, version: unknown): LhsError {
  const message = `"${place}" has format version ${JSON.stringify(version)}, expected ${VERSION}`;
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

/** The two forms of paths. No part of them can leave the folder of an index. */
const PATH =
  /^(generation\/[a-z0-9][a-z0-9._-]{0,199}|embeddings\/[0-9a-f]{32}\/\d{6,15}\.(keys|vectors))$/;
const NAME = /^[a-z0-9][a-z0-9_-]{0,127}$/;
/** The id of a backup. */
export const BACKUP_ID = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

const count = whole(0, Number.MAX_SAFE_INTEGER);
/** A check of UUIDs. */
export const uuid = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID');
/** A check of names of indexes. */
export const indexName = matching(NAME, 'the name of an index');
const CHUNK: Fields<BackupChunk> = {
  sha256: matching(/^[0-9a-f]{64}$/, 'a SHA-256'),
  length: whole(1, MOST_CHUNK_BYTES),
};
const FILE: Fields<BackupFile> = {
  path: matching(PATH, 'a path of a file of an index'),
  length: count,
  crc: whole(0, 0xffff_ffff),
  chunks: list(record(CHUNK, ['sha256', 'length']), Number.MAX_SAFE_INTEGER),
};
const QUERY: Fields<OwnedQuery> = {
  id: uuid,
  owner: text,
  name: text,
  description: text,
  mode: oneOf('lexical', 'semantic', 'hybrid'),
  request: object,
};
const MANIFEST: Fields<BackupManifest> = {
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
  files: list(record(FILE, ['path', 'length', 'chunks']), MOST_FILES),
};
const readManifest = requestOf<BackupManifest>(
  MANIFEST,
  ...(Object.keys(MANIFEST) as (keyof BackupManifest)[]),
);
