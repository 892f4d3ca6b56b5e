import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LakeError, type LakeErrorCode } from '../base/errors.ts';
import type { FileStore, LocalCopies } from '../base/files/file-store.ts';
import type { FolderEntries } from '../base/files/folder-entries.ts';
import type { NewFile } from '../base/files/new-files.ts';
import type { FileRole } from '../base/files/random-access-file.ts';
import { WorkFolder } from '../base/files/work-folder.ts';
import { objectAddress } from '../base/object-storage.ts';
import type { Buckets } from './buckets.ts';
import type { CopyCache } from './copy-cache.ts';
import { createFirst } from './create-first.ts';
import { type ObjectFile, openObject } from './object-file.ts';

/** The objects of a table's buckets as files. Paths are `s3://bucket/key` and alike. */
export class ObjectFiles implements FileStore {
  readonly #buckets: Buckets;
  readonly #cache: CopyCache;

  constructor(buckets: Buckets, cache: CopyCache) {
    this.#buckets = buckets;
    this.#cache = cache;
  }

  async open(path: string, role: FileRole): Promise<ObjectFile> {
    const { bucket, key } = objectAddress(path);
    return openObject({ store: this.#buckets.bucket(bucket), key, path, role });
  }

  async read(path: string, missing: LakeErrorCode, maxBytes: number): Promise<Buffer> {
    const { bucket, key } = objectAddress(path);
    const got = await this.#buckets.bucket(bucket).get(key, { maxBytes });
    if (typeof got !== 'string') return got.bytes;
    const cause = Object.assign(new Error('no such object'), { code: 'NoSuchKey' });
    throw new LakeError(missing, `file "${path}" is not there`, { file: path, cause });
  }

  async entries(folder: string): Promise<FolderEntries> {
    const { bucket, key } = objectAddress(folder);
    const prefix = key === '' ? '' : `${key}/`;
    const files: string[] = [];
    const folders: string[] = [];
    for await (const info of this.#buckets.bucket(bucket).list(prefix, { oneLevel: true })) {
      const name = info.key.slice(prefix.length);
      if (name.endsWith('/')) folders.push(name.slice(0, -1));
      else if (name !== '') files.push(name);
    }
    return { files, folders };
  }

  async stamp(path: string): Promise<string | null> {
    const { bucket, key } = objectAddress(path);
    const info = await this.#buckets.bucket(bucket).head(key);
    return info === null ? null : `${info.etag}:${info.size}`;
  }

  async create(path: string, text: string | Uint8Array, isFirst = false): Promise<boolean> {
    const { bucket, key } = objectAddress(path);
    const store = this.#buckets.bucket(bucket);
    if (isFirst) return createFirst(store, key, String(text), { path });
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    return (await store.put(key, bytes, { condition: 'absent' })) !== 'refused';
  }

  async write(path: string, content: NewFile, signal?: AbortSignal): Promise<void> {
    const { bucket, key } = objectAddress(path);
    await this.#buckets.bucket(bucket).put(key, content, { signal });
  }

  async remove(paths: readonly string[]): Promise<void> {
    const byBucket = Map.groupBy(paths.map(objectAddress), ({ bucket }) => bucket);
    for (const [bucket, objects] of byBucket) {
      await this.#buckets.bucket(bucket).delete(objects.map(({ key }) => key));
    }
  }

  workParent(): Promise<string> {
    return this.#cache.made();
  }

  copies(signal?: AbortSignal): LocalCopies {
    return new ObjectCopies(this.#cache, this.#buckets, signal);
  }
}

/** The copies of one scan: links into the cache, in a folder that is deleted with them. */
class ObjectCopies implements LocalCopies {
  readonly #cache: CopyCache;
  readonly #buckets: Buckets;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #made = new Map<string, Promise<boolean>>();
  readonly #numbers = new Map<string, number>();
  #folder: Promise<WorkFolder> | null = null;

  constructor(cache: CopyCache, buckets: Buckets, signal: AbortSignal | undefined) {
    this.#cache = cache;
    this.#buckets = buckets;
    this.#signal = AbortSignal.any([this.#stop.signal, ...(signal === undefined ? [] : [signal])]);
  }

  async pathOf(path: string): Promise<string> {
    const number = this.#numbers.get(path) ?? this.#numbers.size;
    this.#numbers.set(path, number);
    this.#folder ??= this.#cache.made().then((parent) => WorkFolder.make(parent));
    return join((await this.#folder).path, `${number}.parquet`);
  }

  make(path: string, role: FileRole): Promise<boolean> {
    const known = this.#made.get(path);
    if (known !== undefined) return known;
    const making = this.#copy(path, role);
    this.#made.set(path, making);
    making.catch(() => this.#made.delete(path));
    return making;
  }

  release(path?: string): void {
    if (path === undefined) {
      this.#stop.abort();
      void this.#folder?.then((folder) => folder.remove());
      return;
    }
    const made = this.#made.get(path);
    this.#made.delete(path);
    void made?.then(async () => rm(await this.pathOf(path), { force: true })).catch(() => {});
  }

  async #copy(path: string, role: FileRole): Promise<boolean> {
    const { bucket, key } = objectAddress(path);
    const store = this.#buckets.bucket(bucket);
    const file = await openObject({ store, key, path, role, signal: this.#signal });
    if (!this.#cache.takes(file.size)) return false;
    await this.#cache.copyTo(file, this.#buckets.endpoint, await this.pathOf(path));
    return true;
  }
}
