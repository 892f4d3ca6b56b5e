import { createHash, randomUUID } from 'node:crypto';
import { copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { fileFault } from '../base/files/local-file.ts';
import { makeFolder } from '../base/files/new-files.ts';
import { openRegularFile } from '../base/files/regular-file.ts';
import { syncFolder } from '../base/files/sync-folder.ts';
import { linkFirst } from '../base/files/whole-files.ts';
import { writeFault } from '../base/files/write-fault.ts';
import { LIMITS } from '../base/limits.ts';
import { hasEnded, processMark } from '../base/process-mark.ts';
import type {
  GetOptions,
  GotObject,
  ListOptions,
  ObjectBody,
  ObjectInfo,
  ObjectStore,
  PutOptions,
} from './object-store.ts';
import { eachPart } from './store-writes.ts';

/**
 * A local folder as an object store: keys are paths below it. A file gets its name by rename or
 * link, so it is whole. Hidden names (`.new-…`) are files that are being written; they are not
 * listed.
 */
export class FolderStore implements ObjectStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async head(key: string): Promise<ObjectInfo | null> {
    try {
      const info = await stat(this.#path(key), { bigint: true });
      if (!info.isFile()) return null;
      const stamp = [info.dev, info.ino, info.size, info.mtimeNs].join(':');
      const etag = createHash('sha256').update(stamp).digest('hex').slice(0, 32);
      return { key, size: Number(info.size), etag };
    } catch (error) {
      if (isMissing(error)) return null;
      throw fileFault(error, this.#path(key), 'internal');
    }
  }

  async get(key: string, options: GetOptions = {}): Promise<GotObject | 'missing' | 'changed'> {
    const info = await this.head(key);
    if (info === null) return 'missing';
    if (options.etag !== undefined && options.etag !== info.etag) return 'changed';
    const { offset, length } = rangeOf(info.size, options);
    const { maxBytes = LIMITS.manifestBytes } = options;
    if (length > maxBytes) {
      throw new LakeError('limit_exceeded', `"${this.#path(key)}" has more than ${maxBytes} bytes`);
    }
    const { handle } = await openRegularFile(this.#path(key));
    await using _ = handle;
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, offset);
    return bytesRead === length ? { ...info, offset, bytes } : 'changed';
  }

  async put(
    key: string,
    body: ObjectBody,
    { condition }: PutOptions = {},
  ): Promise<ObjectInfo | 'refused'> {
    const path = this.#path(key);
    if (condition !== undefined && condition !== 'absent') {
      const there = await this.head(key);
      if (there?.etag !== condition.etag) return 'refused';
    }
    await makeSynced(dirname(path));
    const hidden = join(dirname(path), `${HIDDEN}${processMark()}_${randomUUID()}`);
    try {
      await writeSynced(hidden, body);
      if (condition !== 'absent') await rename(hidden, path);
      else if (!(await linkFirst(hidden, path))) return 'refused';
      await syncFolder(dirname(path));
      return (await this.head(key)) ?? 'refused';
    } catch (error) {
      throw writeFault(path, error);
    } finally {
      await rm(hidden, { force: true });
    }
  }

  async *list(prefix: string, { oneLevel = false }: ListOptions = {}): AsyncGenerator<ObjectInfo> {
    yield* this.#walk(prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix, oneLevel);
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      try {
        await rm(this.#path(key), { force: true });
      } catch (error) {
        throw writeFault(this.#path(key), error);
      }
    }
  }

  async sweep(): Promise<void> {
    const entries = await readdir(this.#root, { recursive: true, withFileTypes: true }).catch(
      (error: unknown) => {
        if (isMissing(error)) return [];
        throw fileFault(error, this.#root, 'internal');
      },
    );
    for (const { name, parentPath } of entries) {
      const mark = name.startsWith(HIDDEN) ? name.slice(HIDDEN.length).split('_')[0] : '';
      if (hasEnded(mark)) await rm(join(parentPath, name), { force: true });
    }
  }

  async *#walk(folder: string, prefix: string, oneLevel: boolean): AsyncGenerator<ObjectInfo> {
    for (const name of await this.#names(folder)) {
      const key = folder + name;
      const isFolder = name.endsWith('/');
      if (isFolder ? !key.startsWith(prefix) && !prefix.startsWith(key) : !key.startsWith(prefix)) {
        continue;
      }
      if (!isFolder) {
        const info = await this.head(key);
        if (info !== null) yield info;
      } else if (oneLevel) yield { key, size: 0, etag: '' };
      else yield* this.#walk(key, prefix, false);
    }
  }

  /** Names in the order of keys; those of folders end in a slash. */
  async #names(folder: string): Promise<readonly string[]> {
    try {
      const entries = await readdir(this.#path(folder), { withFileTypes: true });
      const names = entries
        .filter(({ name }) => !name.startsWith(HIDDEN))
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
      return names.sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw fileFault(error, this.#path(folder), 'internal');
    }
  }

  #path(key: string): string {
    if (!/(^|\/)\.{1,2}(\/|$)|\0|^\//.test(key)) return join(this.#root, key);
    throw new LakeError('path_refused', `key "${key}" leaves the folder "${this.#root}"`);
  }
}

const HIDDEN = '.new-';

const isMissing = (error: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

function rangeOf(size: number, { span }: GetOptions): { offset: number; length: number } {
  if (span === undefined) return { offset: 0, length: size };
  if ('suffix' in span) {
    return { offset: Math.max(0, size - span.suffix), length: Math.min(size, span.suffix) };
  }
  return { offset: span.offset, length: Math.max(0, Math.min(span.length, size - span.offset)) };
}

/** Makes a folder and those above it that are missing, durably. */
async function makeSynced(folder: string): Promise<void> {
  const topmost = await makeFolder(folder);
  if (topmost === undefined) return;
  for (let made = folder; made.length >= topmost.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
}

async function writeSynced(path: string, body: ObjectBody): Promise<void> {
  const isFile = 'file' in body;
  if (isFile) await copyFile(body.file, path);
  await using handle = await open(path, isFile ? 'r+' : 'wx');
  if (!isFile) await handle.writeFile('read' in body ? eachPart(body) : body);
  await handle.sync();
}
