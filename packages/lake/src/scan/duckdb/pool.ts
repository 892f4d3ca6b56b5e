import { LockedDuckDb } from './instance.ts';

/**
 * The DuckDB of one scan: opened when the first file needs it, locked to the scan's files,
 * replaced by a fresh one after an INTERNAL or FATAL error, closed with the scan.
 */
export class ScanDuckDb {
  readonly #files: readonly string[];
  #db: LockedDuckDb | null = null;

  /** `files`: absolute local paths of every file that the scan may read. */
  constructor(files: readonly string[]) {
    this.#files = files;
  }

  /** A healthy instance. */
  async get(): Promise<LockedDuckDb> {
    if (this.#db?.poisoned) this.close();
    this.#db ??= await LockedDuckDb.open(this.#files);
    return this.#db;
  }

  /** Stops what runs and frees the instance. */
  close(): void {
    this.#db?.close();
    this.#db = null;
  }
}
