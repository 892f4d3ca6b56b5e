/**
 * Backups of the format before: files are lists of chunks, objects that are named by their content
 * (docs/adr/backups.md). They are read and deleted, and written no more.
 */
import { hash } from 'node:crypto';
import {
  completeOf,
  type Fields,
  list,
  record,
  whole,
  wrong,
} from '@lakehouse-search/contract/internal';
import { eachOf } from '@lakehouse-search/lake/internal';
import { refuseAborted } from '../source/source-errors.ts';
import { damaged, inStore } from '../source/store-errors.ts';
import { type BackupHead, checkManifest, HEAD_FIELDS, matching, sha256Check } from './manifest.ts';
import type { Home } from './stored-json.ts';

const CHUNK_READS = 2;
const MOST_CHUNK_BYTES = 16 * 2 ** 20;
const MOST_FILES = 1 << 20;
const CHUNK_KEY = /^chunks\/[0-9a-f]{2}\/([0-9a-f]{64})$/;
const LEASE_BYTES = 4096;
const AT_ONCE = 4;

/** A piece of a file, which is an object of its own. */
export interface BackupChunk {
  /** Of its bytes, hexadecimal. */
  readonly sha256: string;
  readonly length: number;
}

/** A file: its chunks in a row. */
export interface ChunkedFile {
  /** `generation/<name>`, or `embeddings/<model>/<name>`. */
  readonly path: string;
  readonly length: number;
  /** The CRC-32 that the commit has of it. Absent: the commit does not name it. */
  readonly crc?: number;
  readonly chunks: readonly BackupChunk[];
}

/** A manifest of version 1. */
export interface FormerManifest extends BackupHead {
  readonly files: readonly ChunkedFile[];
}

/** No part of a path can leave the folder of an index. */
const PATH =
  /^(generation\/[a-z0-9][a-z0-9._-]{0,199}|embeddings\/[0-9a-f]{32}\/\d{6,15}\.(keys|vectors))$/;
const CHUNK: Fields<BackupChunk> = {
  sha256: sha256Check,
  length: whole(1, MOST_CHUNK_BYTES),
};
const FILE: Fields<ChunkedFile> = {
  path: matching(PATH, 'a path of a file of an index'),
  length: whole(0, Number.MAX_SAFE_INTEGER),
  crc: whole(0, 0xffff_ffff),
  chunks: list(record(CHUNK, ['sha256', 'length']), Number.MAX_SAFE_INTEGER),
};
const FIELDS: Fields<FormerManifest> = {
  ...HEAD_FIELDS,
  files: list(record(FILE, ['path', 'length', 'chunks']), MOST_FILES),
};
const readFields = completeOf<FormerManifest>(FIELDS);

/** Throws corrupt_index unless a value is a manifest whose paths and lengths are possible. */
export const checkFormer = (value: object, place: string): FormerManifest =>
  checkManifest(place, () => {
    const manifest = readFields(value);
    const paths = new Set(manifest.files.map((file) => file.path));
    if (paths.size < manifest.files.length) throw wrong('files', 'twice', 'each path once');
    for (const { path, length, chunks } of manifest.files) {
      const sum = chunks.reduce((bytes, chunk) => bytes + chunk.length, 0);
      if (sum !== length) throw wrong(path, length, `${sum} bytes, as many as its chunks have`);
    }
    return manifest;
  });

const chunkKey = (sha256: string): string => `chunks/${sha256.slice(0, 2)}/${sha256}`;

/** Lengths of all chunks by SHA-256. */
async function listChunks({ store }: Home, signal?: AbortSignal): Promise<Map<string, number>> {
  const chunks = new Map<string, number>();
  await inStore(async () => {
    for await (const { key, size } of store.list('chunks/', { signal })) {
      const match = CHUNK_KEY.exec(key);
      if (match !== null) chunks.set(match[1], size);
    }
  });
  return chunks;
}

/** Throws corrupt_index if a chunk is missing or cut. */
export async function requireChunks(
  home: Home,
  files: readonly ChunkedFile[],
  signal?: AbortSignal,
): Promise<void> {
  const lengths = await listChunks(home, signal);
  for (const { path, chunks } of files) {
    for (const { sha256, length } of chunks) {
      const found = lengths.get(sha256);
      if (found === length) continue;
      const what = found === undefined ? 'is missing' : `has ${found} bytes, expected ${length}`;
      throw damaged(`${home.place}/${chunkKey(sha256)}`, `it ${what} (a part of "${path}")`);
    }
  }
}

/** The bytes of a file, by its chunks. Throws corrupt_index. */
export async function* readChunks(
  home: Home,
  { chunks }: ChunkedFile,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    refuseAborted(signal);
    yield await readChunk(home, chunk, signal);
  }
}

/**
 * The bytes of a chunk, compared with its name. Bytes that differ are read once more: they may have
 * changed on their way. Throws corrupt_index.
 */
export async function readChunk(
  { store, place }: Home,
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

/** The chunks that none of these files names: lengths by key. */
export async function unusedChunks(
  home: Home,
  files: readonly ChunkedFile[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const unused = await listChunks(home, signal);
  for (const { chunks } of files) for (const { sha256 } of chunks) unused.delete(sha256);
  return new Map([...unused].map(([sha256, length]) => [chunkKey(sha256), length]));
}

/** Whether an older version may be backing up: its leases are renewed every ten minutes. */
export async function formerRuns(
  { store }: Home,
  now: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const keys = await Array.fromAsync(store.list('leases/', { signal }), ({ key }) => key);
  const ends = await eachOf(keys, AT_ONCE, async (key) => {
    const got = await store.get(key, { maxBytes: LEASE_BYTES, signal });
    return typeof got === 'string' ? 0 : Number(/"expires_ms":(\d+)/.exec(String(got.bytes))?.[1]);
  });
  return ends.some((end) => !(end <= now));
}
