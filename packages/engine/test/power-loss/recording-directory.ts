import type { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import type { Directory, FileWriter, Region } from '../../src/storage/directory.ts';
import { type DiskTrace, ROOT } from './disk-trace.ts';

/** What a broken program forgets: the test of the test (each must be found). */
export type Forgotten = 'file fsync' | 'folder fsync before rename' | 'folder fsync after rename';

/**
 * A directory in memory whose changes are written down. `forgets` leaves an fsync out of the trace,
 * as if the program had never asked for it.
 */
export class RecordingDirectory implements Directory {
  readonly path = 'recorded:';
  readonly #inner: MemoryDirectory;
  readonly #trace: DiskTrace;
  readonly #forgets: Forgotten | null;

  constructor(inner: MemoryDirectory, trace: DiskTrace, forgets: Forgotten | null = null) {
    this.#inner = inner;
    this.#trace = trace;
    this.#forgets = forgets;
  }

  list(): readonly string[] {
    return this.#inner.list();
  }

  size(name: string): number {
    return this.#inner.size(name);
  }

  stamp(): string | null {
    return null;
  }

  read(name: string): Uint8Array {
    return this.#inner.read(name);
  }

  open(name: string): Region {
    return this.#inner.open(name);
  }

  create(name: string): FileWriter {
    const writer = this.#inner.create(name);
    const trace = this.#trace;
    const node = trace.create(ROOT, name);
    return {
      name,
      get written() {
        return writer.written;
      },
      write: (bytes) => {
        writer.write(bytes);
        trace.write(node, bytes);
      },
      skip: (bytes) => {
        writer.skip(bytes);
        trace.write(node, new Uint8Array(bytes));
      },
      finish: () => {
        writer.finish();
        if (this.#forgets !== 'file fsync') trace.fsync(node);
      },
      abort: () => {
        writer.abort();
        trace.unlink(ROOT, name);
      },
    };
  }

  rename(from: string, to: string): void {
    this.#inner.rename(from, to);
    this.#trace.rename(ROOT, from, to);
    if (this.#forgets !== 'folder fsync after rename') this.#trace.fsync(ROOT);
  }

  remove(name: string): void {
    this.#inner.remove(name);
    this.#trace.unlink(ROOT, name);
  }

  sync(): void {
    this.#inner.sync();
    if (this.#forgets !== 'folder fsync before rename') this.#trace.fsync(ROOT);
  }
}
