import type { FileStore, LocalCopies } from '../../base/files/file-store.ts';
import { LockedDuckDb } from './instance.ts';

/**
 * The DuckDB of one scan: opened when the first file needs it, locked to the local copies of the
 * scan's files, replaced by a fresh one after an INTERNAL or FATAL error, closed with the scan.
 */
export class ScanDuckDb {
  readonly #paths: readonly string[];
  /** The local copies of the scan's files; they are released when the scan is closed. */
  readonly copies: LocalCopies;
  #db: LockedDuckDb | null = null;

  /** `paths`: every file in `store` that the scan may read. */
  constructor(store: FileStore, paths: readonly string[], signal?: AbortSignal) {
    this.#paths = paths;
    this.copies = store.copies(signal);
  }

  /** A healthy instance. */
  async get(): Promise<LockedDuckDb> {
    if (this.#db?.poisoned) this.#end();
    if (this.#db === null) {
      const paths = await Promise.all(this.#paths.map((path) => this.copies.pathOf(path)));
      this.#db = await LockedDuckDb.open(paths);
    }
    return this.#db;
  }

  /** Stops what runs, frees the instance and releases the copies. */
  close(): void {
    this.#end();
    this.copies.release();
  }

  #end(): void {
    this.#db?.close();
    this.#db = null;
  }
}
