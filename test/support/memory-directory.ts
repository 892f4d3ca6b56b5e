import { LhsError } from '@lakehouse-search/contract';
import type {
  Arena,
  Directory,
  FileWriter,
  Region,
} from '../../packages/engine/src/storage/directory.ts';
import { checkFileName } from '../../packages/engine/src/storage/file-name.ts';
import { missing } from '../../packages/engine/src/storage/io-errors.ts';
import { plainArena } from './plain-arena.ts';

/** Files in memory, for tests. Files become visible by `finish`. */
export class MemoryDirectory implements Directory {
  readonly path: string;
  readonly #arena: Arena;
  readonly #files: Map<string, Uint8Array>;
  readonly #writing = new Set<string>();

  constructor(
    arena: Arena = plainArena(),
    files?: ReadonlyMap<string, Uint8Array>,
    path = 'memory:',
  ) {
    this.#arena = arena;
    this.#files = new Map(files);
    this.path = path;
  }

  /** The finished files by now; their bytes are never changed. */
  files(): ReadonlyMap<string, Uint8Array> {
    return new Map(this.#files);
  }

  list(): readonly string[] {
    return [...this.#files.keys()].sort();
  }

  size(name: string): number {
    return this.read(name).length;
  }

  stamp(): string | null {
    return null;
  }

  read(name: string): Uint8Array {
    const bytes = this.#files.get(checkFileName(name));
    if (bytes === undefined) throw missing(this.path, name);
    return bytes;
  }

  open(name: string): Region {
    const bytes = this.read(name);
    const region = this.#arena.allocate(bytes.length);
    region.bytes.set(bytes);
    return region;
  }

  create(name: string): FileWriter {
    checkFileName(name);
    if (this.#files.has(name) || this.#writing.has(name)) {
      throw new LhsError('io_error', `cannot create "${this.path}/${name}": it exists already`);
    }
    this.#writing.add(name);
    return new MemoryWriter(name, (bytes) => {
      this.#writing.delete(name);
      if (bytes !== null) this.#files.set(name, bytes);
    });
  }

  rename(from: string, to: string): void {
    const bytes = this.read(from);
    this.#files.set(checkFileName(to), bytes);
    this.#files.delete(from);
  }

  remove(name: string): void {
    if (!this.#files.delete(checkFileName(name))) throw missing(this.path, name);
  }

  sync(): void {}
}

class MemoryWriter implements FileWriter {
  readonly name: string;
  readonly #done: (bytes: Uint8Array | null) => void;
  #parts: Uint8Array[] = [];
  #written = 0;
  #open = true;

  constructor(name: string, done: (bytes: Uint8Array | null) => void) {
    this.name = name;
    this.#done = done;
  }

  get written(): number {
    return this.#written;
  }

  write(bytes: Uint8Array): void {
    this.#parts.push(bytes.slice());
    this.#written += bytes.length;
  }

  skip(bytes: number): void {
    this.write(new Uint8Array(bytes));
  }

  finish(): void {
    const bytes = new Uint8Array(this.#written);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.#close(bytes);
  }

  abort(): void {
    this.#close(null);
  }

  #close(bytes: Uint8Array | null): void {
    if (!this.#open) return;
    this.#open = false;
    this.#parts = [];
    this.#done(bytes);
  }
}
