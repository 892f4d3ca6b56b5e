import { availableParallelism } from 'node:os';
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { LIMITS } from '../../base/limits.ts';
import { memoryShare } from '../../base/usable-memory.ts';
import { type OpenDuckDb, openDuckDb } from './open-duckdb.ts';

/**
 * A DuckDB of its own for one scan, locked to the files of that scan (see `openDuckDb`).
 *
 * An instance that reported an INTERNAL or FATAL error is `poisoned`: DuckDB invalidates such a
 * database as a whole, so it must be closed and not used again.
 */
export class LockedDuckDb {
  readonly #duckdb: OpenDuckDb;
  #poisoned = false;

  private constructor(duckdb: OpenDuckDb) {
    this.#duckdb = duckdb;
  }

  /**
   * Opens an instance that can read `files` (absolute local paths) and nothing else, in at most
   * half of the memory that the process may use.
   */
  static async open(
    files: readonly string[],
    options: { readonly memoryBytes?: number; readonly threads?: number } = {},
  ): Promise<LockedDuckDb> {
    const duckdb = await openDuckDb({
      reads: files,
      threads: options.threads ?? Math.min(4, availableParallelism()),
      memoryBytes: memoryShare(options.memoryBytes ?? LIMITS.scanMemoryBytes, 1 / 2),
      spillBytes: LIMITS.readSpillBytes,
    });
    return new LockedDuckDb(duckdb);
  }

  /** True after an INTERNAL or FATAL error: close it, open another. */
  get poisoned(): boolean {
    return this.#poisoned;
  }

  /** The connection, for appending rows to tables in memory. */
  get connection(): DuckDBConnection {
    return this.#duckdb.connection;
  }

  /** Runs a statement whose chunks are fetched one after another. */
  async stream(sql: string): Promise<DuckDBResult> {
    return await this.guard(() => this.#duckdb.connection.stream(sql));
  }

  /**
   * Awaits `work`, and marks the instance as poisoned if the error of `work` says so. Passes the
   * error on. Throws internal if the instance is closed.
   */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#duckdb.use(work);
    } catch (error) {
      if (/\b(INTERNAL|FATAL)\b|database has been invalidated/i.test(String(error))) {
        this.#poisoned = true;
      }
      throw error;
    }
  }

  /** Interrupts the calls that run, and frees the instance when they have ended. */
  close(): void {
    this.#duckdb.close();
  }
}
