import { hash, type KeyObject } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import { createFirst, type ObjectStore, openObjectStore } from '@lakehouse-search/lake/internal';
import { damaged, inStore } from '../source/store-errors.ts';
import {
  type BackupChunk,
  type BackupManifest,
  decodeManifest,
  encodeManifest,
  jsonObject,
  MANIFEST_BYTES,
  MOST_CHUNK_BYTES,
  type SignedValue,
  unknownVersion,
} from './manifest.ts';

const MARK = 'repository.json';
const FORMAT = 'lhs-backups';
const VERSION = 1;
const MARK_BYTES = 4096;
const CHUNK_READS = 2;
/** What takes the name of a manifest whose backup was taken for dead; no manifest is as short. */
export const ENDED: Uint8Array = Buffer.from('ended\n');
/** Keys of manifests: the index and the id. */
export const MANIFEST_KEY =
  /^backups\/([a-z0-9][a-z0-9_-]{0,127})\/(\d{8}T\d{9}Z-[0-9a-f]{8})\.json$/;
const CHUNK_KEY = /^chunks\/[0-9a-f]{2}\/([0-9a-f]{64})$/;

/** A place for backups: a folder, or a part of a bucket (docs/adr/backups.md has its layout). */
export interface Repository {
  readonly store: ObjectStore;
  /** For messages. */
  readonly place: string;
  /** The key that signs manifests; absent: they are not signed. */
  readonly key?: KeyObject | undefined;
}

/** A manifest by its key. */
export interface BackupName {
  readonly index: string;
  readonly id: string;
  readonly key: string;
}

/**
 * Opens a repository, or makes it if `make` is set. Null if there is none. Throws unsupported for
 * an unknown version, and as `inStore`.
 */
export async function openRepository(
  place: string,
  make: boolean,
  signal?: AbortSignal,
  key?: KeyObject,
): Promise<Repository | null> {
  return inStore(async () => {
    const store = await openObjectStore(place);
    const mark = () => store.get(MARK, { maxBytes: MARK_BYTES, signal });
    let found = await mark();
    if (found === 'missing' && !make) return null;
    if (found === 'missing') {
      const text = `${JSON.stringify({ format: FORMAT, version: VERSION })}\n`;
      await createFirst(store, MARK, text, { path: `${place}/${MARK}`, signal });
      found = await mark();
    }
    const path = `${place}/${MARK}`;
    if (typeof found === 'string') throw damaged(path, `it is ${found}`);
    const { format, version } = jsonObject(found.bytes.toString(), path);
    if (format !== FORMAT) throw damaged(path, 'it marks no repository of backups');
    if (version !== VERSION) throw unknownVersion(path, version);
    return Object.freeze({ store, place, key });
  });
}

/** The backups of a repository, newest first; of one index if it is named. */
export async function listManifests(
  { store }: Repository,
  index?: string,
  signal?: AbortSignal,
): Promise<readonly BackupName[]> {
  const prefix = index === undefined ? 'backups/' : `backups/${index}/`;
  const found: BackupName[] = [];
  await inStore(async () => {
    for await (const { key, size } of store.list(prefix, { signal })) {
      const match = MANIFEST_KEY.exec(key);
      if (match !== null && size !== ENDED.length)
        found.push({ index: match[1], id: match[2], key });
    }
  });
  return found.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** Reads a manifest. Null if it was deleted meanwhile. Throws corrupt_index, unsupported. */
export async function readManifest(
  repository: Repository,
  name: BackupName,
  signal?: AbortSignal,
): Promise<BackupManifest | null> {
  return (await readSignedManifest(repository, name, signal))?.value ?? null;
}

/** The same with whether the repository's key has signed it. */
export async function readSignedManifest(
  { store, place, key: own }: Repository,
  { index, id, key }: BackupName,
  signal?: AbortSignal,
): Promise<SignedValue<BackupManifest> | null> {
  const got = await inStore(() => store.get(key, { maxBytes: MANIFEST_BYTES, signal }));
  if (typeof got === 'string') return null;
  const signed = decodeManifest(got.bytes, `${place}/${key}`, own);
  const { value: manifest } = signed;
  if (manifest.index === index && manifest.id === id) return signed;
  throw damaged(`${place}/${key}`, `it is of backup "${manifest.id}" of index "${manifest.index}"`);
}

/** The key of a manifest. */
export const manifestKey = ({ index, id }: Pick<BackupManifest, 'index' | 'id'>): string =>
  `backups/${index}/${id}.json`;

/** Makes a backup visible; false if it was taken for dead. */
export async function writeManifest(
  { store, key: own }: Repository,
  manifest: BackupManifest,
): Promise<boolean> {
  const bytes = encodeManifest(manifest, own);
  if (bytes.length > MANIFEST_BYTES) {
    const message = `the list of files of "${manifest.index}" has ${bytes.length} bytes`;
    throw new LhsError('limit_exceeded', `${message}: at most ${MANIFEST_BYTES}`);
  }
  const condition = 'absent' as const;
  return (
    (await inStore(() => store.put(manifestKey(manifest), bytes, { condition }))) !== 'refused'
  );
}

/** The key of a chunk. */
export const chunkKey = (sha256: string): string => `chunks/${sha256.slice(0, 2)}/${sha256}`;

/** Lengths of all chunks by SHA-256. */
export async function listChunks(
  { store }: Repository,
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const chunks = new Map<string, number>();
  await inStore(async () => {
    for await (const { key, size } of store.list('chunks/', { signal })) {
      const match = CHUNK_KEY.exec(key);
      if (match !== null) chunks.set(match[1], size);
    }
  });
  return chunks;
}

/**
 * The bytes of a chunk, compared with its name. Bytes that differ are read once more: they may have
 * changed on their way. Throws corrupt_index.
 */
export async function readChunk(
  { store, place }: Repository,
  { sha256, length }: BackupChunk,
  signal?: AbortSignal,
): Promise<Buffer> {
  const key = chunkKey(sha256);
  let fault = '';
  for (let attempt = 0; attempt < CHUNK_READS; attempt++) {
    const got = await inStore(() => store.get(key, { maxBytes: MOST_CHUNK_BYTES, signal }));
    if (typeof got === 'string') throw damaged(`${place}/${key}`, `it is ${got}`);
    const { bytes } = got;
    if (bytes.length === length && hash('sha256', bytes) === sha256) return bytes;
    fault =
      bytes.length === length
        ? 'its SHA-256 differs from its name'
        : `it has ${bytes.length} bytes, expected ${length}`;
  }
  throw damaged(`${place}/${key}`, fault);
}
