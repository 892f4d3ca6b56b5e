/**
 * The two files of a cache on disk (cache-format.ts): opened with what a crash left half cut off,
 * appended to, read in runs.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { attempt, systemCode } from '../../storage/io-errors.ts';
import { makeFolder, syncFolder } from '../../storage/make-folder.ts';
import type { ModelIdentity } from '../embedder.ts';
import {
  CACHE_HEADER_BYTES,
  type CacheFileKind,
  cacheFile,
  cacheHeader,
  KEY_BYTES,
  recordBytes,
} from './cache-format.ts';

const DRAFT = '.tmp';

/** Keys and vectors of a cache, open for reading and appending. Close it. */
export class CacheFiles {
  readonly folder: string;
  readonly number: number;
  readonly #record: number;
  readonly #draft: string;
  #keys = -1;
  #vectors = -1;
  #count = 0;
  /** An append failed: the files may be longer than their entries. */
  #torn = false;

  private constructor(folder: string, number: number, model: ModelIdentity, draft: string) {
    this.folder = folder;
    this.number = number;
    this.#draft = draft;
    this.#record = recordBytes(model.dims);
  }

  /**
   * The newest pair of a folder that is whole and this model's, or a new one; all other files of
   * the folder are removed. Throws io_error, disk_full.
   */
  static open(folder: string, model: ModelIdentity): CacheFiles {
    return attempt('open', folder, () => {
      makeFolder(folder);
      const numbers = numbersIn(folder);
      for (const number of numbers) {
        const files = CacheFiles.#reopen(folder, number, model);
        if (files === null) continue;
        files.#removeOthers();
        return files;
      }
      const files = CacheFiles.#create(folder, (numbers[0] ?? 0) + 1, model, '');
      files.#removeOthers();
      return files;
    });
  }

  /**
   * As `open`, while another process may append: nothing is made, cut or removed, and nothing may
   * be appended. Null: there is no whole pair of this model. Throws io_error.
   */
  static look(folder: string, model: ModelIdentity): CacheFiles | null {
    return attempt('open', folder, () => {
      if (!existsSync(folder)) return null;
      for (const number of numbersIn(folder)) {
        const files = CacheFiles.#reopen(folder, number, model, true);
        if (files !== null) return files;
      }
      return null;
    });
  }

  /** A new pair beside this one, to be filled and put in its place (`replaceBy`). */
  successor(model: ModelIdentity): CacheFiles {
    return attempt('make', this.folder, () =>
      CacheFiles.#create(this.folder, this.number + 1, model, DRAFT),
    );
  }

  /** Flushes a successor, gives it its name, and removes these files. */
  replaceBy(successor: CacheFiles): void {
    attempt('replace', this.folder, () => {
      for (const descriptor of [successor.#vectors, successor.#keys]) fsyncSync(descriptor);
      for (const kind of ['vectors', 'keys'] as const) {
        const path = join(this.folder, cacheFile(successor.number, kind));
        renameSync(path + DRAFT, path);
      }
      syncFolder(this.folder);
      this.close();
      for (const kind of ['keys', 'vectors'] as const) {
        rmSync(join(this.folder, cacheFile(this.number, kind)), { force: true });
      }
    });
  }

  /** Whole entries. */
  get count(): number {
    return this.#count;
  }

  /** All keys, 16 bytes each. */
  keys(): Uint8Array {
    const bytes = new Uint8Array(this.#count * KEY_BYTES);
    attempt('read', this.#path('keys'), () =>
      readWhole(this.#keys, bytes, bytes.length, CACHE_HEADER_BYTES),
    );
    return bytes;
  }

  /** Records from .. to into `out`; what a damaged disk does not give is zeros. */
  records(from: number, to: number, out: Uint8Array): void {
    const length = (to - from) * this.#record;
    attempt('read', this.#path('vectors'), () => {
      const at = CACHE_HEADER_BYTES + from * this.#record;
      const read = readWhole(this.#vectors, out, length, at);
      out.fill(0, read, length);
    });
  }

  /** Appends entries: as many keys as records. */
  append(keys: Uint8Array, records: Uint8Array): void {
    attempt('write', this.#path('vectors'), () => {
      if (this.#torn) this.#cut();
      this.#torn = true;
      writeWhole(this.#vectors, records);
      writeWhole(this.#keys, keys);
      this.#torn = false;
    });
    this.#count += keys.length / KEY_BYTES;
  }

  /** Bytes of both files. */
  get bytes(): number {
    return 2 * CACHE_HEADER_BYTES + this.#count * (KEY_BYTES + this.#record);
  }

  close(): void {
    for (const descriptor of [this.#keys, this.#vectors])
      if (descriptor >= 0) closeSync(descriptor);
    this.#keys = -1;
    this.#vectors = -1;
  }

  /** Closes and removes a successor that is not wanted. */
  discard(): void {
    this.close();
    for (const kind of ['keys', 'vectors'] as const) rmSync(this.#path(kind), { force: true });
  }

  #path(kind: CacheFileKind): string {
    return join(this.folder, cacheFile(this.number, kind) + this.#draft);
  }

  static #create(folder: string, number: number, model: ModelIdentity, draft: string): CacheFiles {
    const files = new CacheFiles(folder, number, model, draft);
    try {
      for (const kind of ['keys', 'vectors'] as const) rmSync(files.#path(kind), { force: true });
      files.#open();
      writeWhole(files.#vectors, cacheHeader('vectors', model));
      writeWhole(files.#keys, cacheHeader('keys', model));
      return files;
    } catch (error) {
      files.close();
      throw error;
    }
  }

  static #reopen(
    folder: string,
    number: number,
    model: ModelIdentity,
    onlyLook = false,
  ): CacheFiles | null {
    const files = new CacheFiles(folder, number, model, '');
    try {
      files.#open(onlyLook ? 'r' : 'a+');
      if (files.#headersFit(model)) {
        files.#count = files.#wholeEntries();
        if (!onlyLook) files.#cut();
        return files;
      }
    } catch (error) {
      files.close();
      // The process that appends has replaced this pair meanwhile.
      if (onlyLook && systemCode(error) === 'ENOENT') return null;
      throw error;
    }
    files.close();
    return null;
  }

  #headersFit(model: ModelIdentity): boolean {
    return (['keys', 'vectors'] as const).every((kind) => {
      const found = new Uint8Array(CACHE_HEADER_BYTES);
      const descriptor = kind === 'keys' ? this.#keys : this.#vectors;
      if (readWhole(descriptor, found, found.length, 0) < found.length) return false;
      return Buffer.compare(found, cacheHeader(kind, model)) === 0;
    });
  }

  /** For appending: what is written comes behind what is there. */
  #open(mode: 'a+' | 'r' = 'a+'): void {
    this.#vectors = openSync(this.#path('vectors'), mode, 0o600);
    this.#keys = openSync(this.#path('keys'), mode, 0o600);
  }

  #wholeEntries(): number {
    const keys = fstatSync(this.#keys).size - CACHE_HEADER_BYTES;
    const vectors = fstatSync(this.#vectors).size - CACHE_HEADER_BYTES;
    return Math.min(Math.floor(keys / KEY_BYTES), Math.floor(vectors / this.#record));
  }

  /** Cuts off what stands behind the last entry. */
  #cut(): void {
    cutTo(this.#keys, CACHE_HEADER_BYTES + this.#count * KEY_BYTES);
    cutTo(this.#vectors, CACHE_HEADER_BYTES + this.#count * this.#record);
  }

  #removeOthers(): void {
    const own: readonly string[] = [
      cacheFile(this.number, 'keys'),
      cacheFile(this.number, 'vectors'),
    ];
    for (const name of readdirSync(this.folder)) {
      if (!own.includes(name)) rmSync(join(this.folder, name), { recursive: true, force: true });
    }
  }
}

/** Numbers of the pairs in a folder, the highest first. */
function numbersIn(folder: string): readonly number[] {
  const numbers = readdirSync(folder).flatMap((name) => {
    const match = /^(\d{6,})\.vectors$/.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
  return numbers
    .filter((number) => existsSync(join(folder, cacheFile(number, 'keys'))))
    .sort((a, b) => b - a);
}

/** Reads up to `length` bytes; returns how many there were. */
function readWhole(descriptor: number, out: Uint8Array, length: number, position: number): number {
  let read = 0;
  while (read < length) {
    const got = readSync(descriptor, out, read, length - read, position + read);
    if (got === 0) break;
    read += got;
  }
  return read;
}

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(descriptor, bytes, at, bytes.length - at);
  }
}

function cutTo(descriptor: number, length: number): void {
  if (fstatSync(descriptor).size > length) ftruncateSync(descriptor, length);
}
