import { createHash, randomUUID } from 'node:crypto';
import { link, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { eachOf } from '../base/each-of.ts';
import { LakeError } from '../base/errors.ts';
import { makeFolder } from '../base/files/new-files.ts';
import { writeFault } from '../base/files/write-fault.ts';
import { LIMITS } from '../base/limits.ts';
import { hasEnded, processMark } from '../base/process-mark.ts';
import type { ObjectFile } from './object-file.ts';
import type { Environment } from './s3/s3-settings.ts';

/** Where local copies of objects are kept, and how many bytes of them. */
export interface CopyCacheSettings {
  readonly folder: string;
  readonly limitBytes: number;
}

/**
 * The cache of the environment: LHS_OBJECT_CACHE_DIR (default `lhs/objects` in XDG_CACHE_HOME or
 * `~/.cache`) and LHS_OBJECT_CACHE_BYTES. Throws invalid_argument.
 */
export function copyCacheSettings(env: Environment): CopyCacheSettings {
  const folder =
    env.LHS_OBJECT_CACHE_DIR ||
    join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lhs', 'objects');
  const text = env.LHS_OBJECT_CACHE_BYTES ?? '';
  if (text === '') return { folder, limitBytes: LIMITS.objectCacheBytes };
  if (/^\d{1,15}$/.test(text)) return { folder, limitBytes: Number(text) };
  throw new LakeError(
    'invalid_argument',
    `LHS_OBJECT_CACHE_BYTES is "${text}"; expected a number of bytes, like 8589934592`,
  );
}

/**
 * Local copies of objects, in a folder that processes share:
 *
 *   <hash of endpoint, path, version and size>     a whole copy; its time of change is its last use
 *   .part-<process>-<uuid>                         a copy that is being fetched, as long as it will
 * be
 *
 * A copy gets its name by rename, so it is whole. A user of a copy links it under a name of its
 * own; so another process may delete it at any time. Copies that were not used for longest go first
 * when all together pass the limit.
 */
export class CopyCache {
  readonly #folder: string;
  readonly #limitBytes: number;

  constructor({ folder, limitBytes }: CopyCacheSettings) {
    this.#folder = folder;
    this.#limitBytes = limitBytes;
  }

  /** The folder, which exists afterwards. Throws permission_denied, disk_full, internal. */
  async made(): Promise<string> {
    await makeFolder(this.#folder);
    return this.#folder;
  }

  /** Whether a file of so many bytes may be kept. */
  takes(bytes: number): boolean {
    return bytes <= this.#limitBytes;
  }

  /**
   * Makes `target`, a path on the disk of the cache, a copy of an object: from the cache, or
   * fetched in parts and kept there. Throws as the object's reads do, disk_full, permission_denied.
   */
  async copyTo(file: ObjectFile, origin: string, target: string): Promise<void> {
    const name = createHash('sha256')
      .update([origin, file.path, file.etag, file.size].join('\n'))
      .digest('hex');
    const kept = join(await this.made(), name);
    if (await isCopy(kept, file.size)) {
      const now = new Date();
      await utimes(kept, now, now).catch(() => undefined);
      if (await linked(kept, target)) return;
    }
    await this.#shrink(file.size);
    const part = join(this.#folder, `${PART}${processMark()}-${randomUUID()}`);
    try {
      await fetchTo(file, part);
      await rm(target, { force: true });
      await link(part, target);
      await rename(part, kept);
      // copies that began at the same time did not see one another
      await this.#shrink(0);
    } catch (error) {
      await rm(part, { force: true });
      throw error instanceof LakeError ? error : writeFault(part, error);
    }
  }

  /** Deletes copies until `more` bytes fit. Parts of processes that ended go first. */
  async #shrink(more: number): Promise<void> {
    const entries: { path: string; bytes: number; used: number; isPart: boolean }[] = [];
    for (const name of await readdir(this.#folder)) {
      const isPart = name.startsWith(PART);
      if (!isPart && !/^[0-9a-f]{64}$/.test(name)) continue;
      const path = join(this.#folder, name);
      const info = await stat(path).catch(() => null);
      if (info === null) continue;
      const owner = name.slice(PART.length, -UUID_CHARS);
      if (isPart && hasEnded(owner)) await rm(path, { force: true });
      else entries.push({ path, bytes: info.size, used: info.mtimeMs, isPart });
    }
    let total = more + entries.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of entries
      .filter((e) => !e.isPart)
      .sort((a, b) => a.used - b.used)) {
      if (total <= this.#limitBytes) return;
      await rm(path, { force: true });
      total -= bytes;
    }
  }
}

const PART = '.part-';
const UUID_CHARS = 37;

async function isCopy(path: string, size: number): Promise<boolean> {
  const info = await stat(path).catch(() => null);
  return info?.isFile() === true && info.size === size;
}

/** Another process may have deleted the copy meanwhile. */
async function linked(kept: string, target: string): Promise<boolean> {
  try {
    await rm(target, { force: true });
    await link(kept, target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw writeFault(target, error);
  }
}

async function fetchTo(file: ObjectFile, path: string): Promise<void> {
  await using handle = await open(path, 'wx', 0o600);
  await handle.truncate(file.size);
  const bytes = LIMITS.storePartBytes;
  const offsets = Array.from({ length: Math.ceil(file.size / bytes) }, (_, i) => i * bytes);
  await eachOf(offsets, LIMITS.storePartsAtOnce, async (offset) => {
    const part = await file.read(offset, Math.min(bytes, file.size - offset));
    await handle.write(part, 0, part.length, offset);
  });
}
