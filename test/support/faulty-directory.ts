import { LhsError } from '@lakehouse-search/contract';
import type { Directory, FileWriter, Region } from '../../packages/engine/src/storage/directory.ts';
import { ioError } from '../../packages/engine/src/storage/io-errors.ts';

/**
 * What goes wrong. `operation` counts the calls that change something (create, write, finish,
 * rename, remove, sync) from 1. fail: that call does nothing and throws. tear: a write leaves
 * half of its bytes behind and throws, a rename or remove is done and throws. crash: as tear, and
 * every later call throws too: the process is gone. full: no space is left at that byte. call:
 * `call` is run before that operation (a test that kills its own process).
 */
export type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'fail' | 'tear' | 'crash'; readonly operation: number }
  | { readonly kind: 'full'; readonly byte: number }
  | { readonly kind: 'call'; readonly operation: number; readonly call: () => void };

/**
 * A directory on which one thing goes wrong, for tests: what a writer leaves behind is in the
 * directory that it wraps.
 */
export class FaultyDirectory implements Directory {
  readonly path: string;
  readonly #inner: Directory;
  readonly #fault: Fault;
  #operations = 0;
  #bytes = 0;
  #dead = false;

  constructor(inner: Directory, fault: Fault) {
    this.#inner = inner;
    this.#fault = fault;
    this.path = inner.path;
  }

  /** Calls so far that change something. */
  get operations(): number {
    return this.#operations;
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  list(): readonly string[] {
    this.#alive();
    return this.#inner.list();
  }

  size(name: string): number {
    this.#alive();
    return this.#inner.size(name);
  }

  stamp(name: string): string | null {
    this.#alive();
    return this.#inner.stamp(name);
  }

  read(name: string): Uint8Array {
    this.#alive();
    return this.#inner.read(name);
  }

  open(name: string): Region {
    this.#alive();
    return this.#inner.open(name);
  }

  create(name: string): FileWriter {
    return this.#change(() => this.#wrap(this.#inner.create(name)), null);
  }

  rename(from: string, to: string): void {
    const rename = () => this.#inner.rename(from, to);
    this.#change(rename, rename);
  }

  remove(name: string): void {
    const remove = () => this.#inner.remove(name);
    this.#change(remove, remove);
  }

  sync(): void {
    this.#change(() => this.#inner.sync(), null);
  }

  #wrap(writer: FileWriter): FileWriter {
    return {
      name: writer.name,
      get written() {
        return writer.written;
      },
      write: (bytes) => this.#write(writer, bytes),
      skip: (bytes) => writer.skip(bytes),
      // A torn finish: the file stays, although its writer was told that flushing failed.
      finish: () =>
        this.#change(
          () => writer.finish(),
          () => writer.finish(),
        ),
      abort: () => {
        if (!this.#dead) writer.abort();
      },
    };
  }

  #write(writer: FileWriter, bytes: Uint8Array): void {
    if (this.#fault.kind === 'full' && this.#bytes + bytes.length > this.#fault.byte) {
      writer.write(bytes.subarray(0, Math.max(this.#fault.byte - this.#bytes, 0)));
      this.#bytes = this.#fault.byte;
      const cause = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      throw ioError(cause, 'write', `${this.path}/${writer.name}`);
    }
    const half = bytes.subarray(0, bytes.length >> 1);
    this.#change(
      () => {
        writer.write(bytes);
        this.#bytes += bytes.length;
      },
      () => {
        writer.write(half);
        if (this.#fault.kind === 'crash') writer.finish();
      },
    );
  }

  /** Runs `whole`; at the faulty operation runs `torn` (null: nothing) and throws. */
  #change<T>(whole: () => T, torn: (() => void) | null): T {
    this.#alive();
    this.#operations++;
    const fault = this.#fault;
    if (fault.kind === 'none' || fault.kind === 'full') return whole();
    if (fault.operation !== this.#operations) return whole();
    if (fault.kind === 'call') {
      fault.call();
      return whole();
    }
    if (fault.kind !== 'fail') torn?.();
    this.#dead = fault.kind === 'crash';
    throw new LhsError('io_error', `the disk fails at operation ${this.#operations}`);
  }

  #alive(): void {
    if (this.#dead) throw new LhsError('io_error', 'the process has crashed');
  }
}
