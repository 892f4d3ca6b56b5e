import { availableParallelism } from 'node:os';
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from '@duckdb/node-api';
import { nodeApi } from './library.ts';

/**
 * A DuckDB of its own for one scan, locked to the files of that scan:
 *
 * 1. in memory, with a memory limit and no place to spill to;
 * 2. `allowed_paths` = the files named here, then `enable_external_access` off: no other file, no
 *    network, no `ATTACH`, no `COPY TO`, no `INSTALL`; extensions are neither installed nor loaded
 *    by themselves;
 * 3. `lock_configuration`, so that no statement can open any of it again.
 *
 * An instance that reported an INTERNAL or FATAL error is `poisoned`: DuckDB invalidates such a
 * database as a whole, so it must be closed and never asked again.
 */
export class LockedDuckDb {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  #poisoned = false;
  #closed = false;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /** Opens an instance that can read `files` (absolute local paths) and nothing else. */
  static async open(
    files: readonly string[],
    options: { readonly memoryLimit?: string; readonly threads?: number } = {},
  ): Promise<LockedDuckDb> {
    const instance = await nodeApi().DuckDBInstance.create(':memory:', {
      threads: String(options.threads ?? Math.min(4, availableParallelism())),
      memory_limit: options.memoryLimit ?? '2GB',
      temp_directory: '',
    });
    const connection = await instance.connect();
    await connection.run(
      `SET autoinstall_known_extensions=false; SET autoload_known_extensions=false;
       SET preserve_insertion_order=true; SET TimeZone='UTC';
       SET allowed_paths=[${files.map(quoteText).join(', ')}];
       SET enable_external_access=false; SET lock_configuration=true`,
    );
    return new LockedDuckDb(instance, connection);
  }

  /** True after an INTERNAL or FATAL error: close it, open another. */
  get poisoned(): boolean {
    return this.#poisoned;
  }

  /** The connection, for appending rows to tables in memory. */
  get connection(): DuckDBConnection {
    return this.#connection;
  }

  /** Runs a statement whose chunks are fetched one after another. */
  async stream(sql: string): Promise<DuckDBResult> {
    return await this.guard(() => this.#connection.stream(sql));
  }

  /**
   * Awaits `work` and marks the instance poisoned where its error says so. The error itself passes
   * on.
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
    this.#connection.interrupt();
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** A SQL text literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A SQL identifier, quoted. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
