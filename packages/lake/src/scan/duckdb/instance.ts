import { availableParallelism } from 'node:os';
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { LIMITS } from '../../base/limits.ts';
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
  #closed = false;

  private constructor(duckdb: OpenDuckDb) {
    this.#duckdb = duckdb;
  }

  /** Opens an instance that can read `files` (absolute local paths) and nothing else. */
  static async open(
    files: readonly string[],
    options: { readonly memoryBytes?: number; readonly threads?: number } = {},
  ): Promise<LockedDuckDb> {
    const duckdb = await openDuckDb({
      reads: files,
      threads: options.threads ?? Math.min(4, availableParallelism()),
      memoryBytes: options.memoryBytes ?? LIMITS.scanMemoryBytes,
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
   * Awaits `work`; marks the instance poisoned after an INTERNAL or FATAL error. Rethrows the
   * error.
   */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (/\b(INTERNAL|FATAL)\b|database has been invalidated/i.test(String(error))) {
        this.#poisoned = true;
      }
      throw error;
    }
  }

  /** Stops what runs and frees the instance. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#duckdb.connection.interrupt();
    this.#duckdb.close();
  }
}
