/**
 * The cache of cold files on the local disk: for each of them a sparse file of the same length, to
 * which blocks are written when they were fetched. Where files can be mapped, it takes the place of
 * the cold file in memory, so that a block is there for all processes of the user that have it
 * mapped. Nothing tells which blocks a file has but their checksums. A file is never cut short, and
 * no block is taken out of it, because others may be reading it: it is removed as a whole.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { holesAreFree } from './arena.ts';
import { cacheFolder, cacheLimit, noteWritten } from './cache-folder.ts';
import type { ColdObject } from './cold-file.ts';
import type { Region } from './directory.ts';
import { makeFolder } from './make-folder.ts';

/**
 * `<uuid of the index>.<object>`: keys of objects begin with the UUID; those of bundles with
 * `families/<uuid>/data/<object>`.
 */
function nameOf({ place, key, offset }: Pick<ColdObject, 'place' | 'key' | 'offset'>): string {
  const part = offset === undefined ? '' : `\n${offset}`;
  const hash = createHash('sha256').update(`${place}\n${key}${part}`).digest('hex');
  const owner = offset === undefined ? key.split('/', 1)[0] : key.replaceAll('/', '.');
  return `${owner}.${hash.slice(0, 32)}`;
}

/** The file of the cache that has blocks of an object. */
export class CachedFile {
  readonly #path: string;
  /** True if the region's bytes are those of this file. */
  readonly mapped: boolean;
  readonly #id: string;

  private constructor(path: string, descriptor: number, region: Region) {
    this.#path = path;
    this.#id = fileId(descriptor);
    this.mapped = holesAreFree(path) && region.remap?.(descriptor) === true;
  }

  /**
   * Makes the file or opens it, writes the bytes that are known to it, and maps it in place of the
   * region's file. Only for a region of which nothing but these bytes is read. Null: nothing can be
   * written, or the cache keeps nothing.
   */
  static open(
    object: ColdObject,
    region: Region,
    known: readonly { readonly from: number; readonly to: number }[],
  ): CachedFile | null {
    if (cacheLimit() === 0) return null;
    const path = join(cacheFolder(), nameOf(object));
    try {
      makeFolder(cacheFolder());
      return withFile(path, constants.O_RDWR | constants.O_CREAT, (descriptor) => {
        if (fstatSync(descriptor).size < region.length) ftruncateSync(descriptor, region.length);
        for (const { from, to } of known) {
          writeAt(descriptor, region.bytes.subarray(from, to), from);
        }
        futimesSync(descriptor, new Date(), new Date());
        return new CachedFile(path, descriptor, region);
      });
    } catch {
      return null;
    }
  }

  /** Reads bytes into a region that is not mapped; false if they cannot be read. */
  read(region: Region, from: number, bytes: number): boolean {
    try {
      return withFile(this.#path, constants.O_RDONLY, (descriptor) => {
        return readSync(descriptor, region.bytes, from, bytes, from) === bytes;
      });
    } catch {
      return false;
    }
  }

  /** Writes bytes; false if they cannot be written, or others have replaced the file. */
  write(bytes: Uint8Array, at: number): boolean {
    try {
      return withFile(this.#path, constants.O_RDWR, (descriptor) => {
        if (fileId(descriptor) !== this.#id) return false;
        writeAt(descriptor, bytes, at);
        noteWritten(bytes.length);
        return true;
      });
    } catch {
      return false;
    }
  }
}

/** Opens a file of the cache. Throws for what is a link to a file elsewhere. */
function withFile<T>(path: string, flags: number, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    if (fstatSync(descriptor).nlink > 1) throw new Error(`"${path}" has another name`);
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function fileId(descriptor: number): string {
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return `${dev}:${ino}`;
}

function writeAt(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(descriptor, bytes, at, bytes.length - at, position + at);
  }
}

/** Paths of files of the cache that are of an index and of none of the objects. */
export async function unneededCachedFiles(
  uuid: string,
  needed: readonly Pick<ColdObject, 'place' | 'key'>[],
): Promise<readonly string[]> {
  const names = new Set(needed.map(nameOf));
  const found = await readdir(cacheFolder()).catch(() => []);
  return found
    .filter((name) => name.startsWith(`${uuid}.`) && !names.has(name))
    .map((name) => join(cacheFolder(), name));
}
