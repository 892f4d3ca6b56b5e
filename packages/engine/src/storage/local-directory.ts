import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { endLookPeriod } from '../base/looks.ts';
import { mapFile } from './arena.ts';
import type { Directory, FileWriter, Region } from './directory.ts';
import { checkFileName } from './file-name.ts';
import { attempt, ioError, missing, systemCode } from './io-errors.ts';
import { syncFolder } from './make-folder.ts';

/** Maps the file at a path into an arena. */
export type MapFile = (path: string) => Region;

/** Two writes within this time may leave one stamp: a younger file has none. */
const STAMP_AGE_NS = 1_000_000_000n;
const CREATE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * A folder of the local file system. It exists already; `map` says how files are mapped, `fence`
 * throws when this process may no longer change what is here (asked before every rename and
 * removal: a writer that was thrown out must not remove files of the next one).
 */
export class LocalDirectory implements Directory {
  readonly path: string;
  readonly #map: MapFile;
  readonly #fence: () => void;

  constructor(path: string, map: MapFile, fence: () => void = () => {}) {
    this.path = path;
    this.#map = map;
    this.#fence = fence;
  }

  list(): readonly string[] {
    return attempt('list', this.path, () => readdirSync(this.path).sort());
  }

  size(name: string): number {
    return this.#existing(name, 'look at', (path) => statSync(path).size);
  }

  stamp(name: string): string | null {
    try {
      const stat = statSync(this.#at(name), { bigint: true });
      const young = BigInt(Date.now()) * 1_000_000n - stat.ctimeNs < STAMP_AGE_NS;
      if (young) return null;
      return [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':');
    } catch (error) {
      if (systemCode(error) === '') throw error;
      return null;
    }
  }

  read(name: string): Uint8Array {
    return this.#existing(name, 'read', (path) => readFileSync(path));
  }

  open(name: string): Region {
    return this.#existing(name, 'map', this.#map);
  }

  create(name: string): FileWriter {
    const path = this.#at(name);
    const descriptor = attempt('create', path, () => openSync(path, CREATE, 0o600));
    return new LocalWriter(name, path, descriptor);
  }

  rename(from: string, to: string): void {
    const path = this.#at(to);
    this.#fence();
    attempt('rename to', path, () => renameSync(this.#at(from), path));
    endLookPeriod();
    this.sync();
  }

  remove(name: string): void {
    this.#fence();
    this.#existing(name, 'remove', unlinkSync);
  }

  sync(): void {
    attempt('flush', this.path, () => syncFolder(this.path));
  }

  #at(name: string): string {
    return join(this.path, checkFileName(name));
  }

  #existing<T>(name: string, action: string, call: (path: string) => T): T {
    const path = this.#at(name);
    try {
      return call(path);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') throw missing(this.path, name);
      throw ioError(error, action, path);
    }
  }
}

/**
 * Appends to a new file; large writes are split by the system, so each is repeated until all
 * bytes are out.
 */
class LocalWriter implements FileWriter {
  readonly name: string;
  readonly #path: string;
  #descriptor: number;
  #written = 0;

  constructor(name: string, path: string, descriptor: number) {
    this.name = name;
    this.#path = path;
    this.#descriptor = descriptor;
  }

  get written(): number {
    return this.#written;
  }

  write(bytes: Uint8Array): void {
    attempt('write', this.#path, () => {
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#written + at);
      }
    });
    this.#written += bytes.length;
  }

  skip(bytes: number): void {
    this.#written += bytes;
  }

  finish(): void {
    attempt('flush', this.#path, () => {
      fsyncSync(this.#descriptor);
      const descriptor = this.#descriptor;
      this.#descriptor = -1;
      closeSync(descriptor);
    });
  }

  abort(): void {
    if (this.#descriptor < 0) return;
    const descriptor = this.#descriptor;
    this.#descriptor = -1;
    try {
      const { ino } = fstatSync(descriptor);
      closeSync(descriptor);
      // The name may have been taken over by another writer since: only our own file goes.
      if (statSync(this.#path).ino === ino) unlinkSync(this.#path);
    } catch (error) {
      // What is left is an orphan: the next open removes it. The error that led here is the one to
      // tell.
      if (systemCode(error) === '') throw error;
    }
  }
}

/** A folder whose files are mapped into the arenas of the process. */
export function openLocalDirectory(path: string, fence?: () => void): LocalDirectory {
  return new LocalDirectory(path, mapFile, fence);
}
