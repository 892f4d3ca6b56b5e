import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { LakeError } from '../base/errors.ts';
import { quoteText } from '../scan/duckdb/instance.ts';
import { nodeApi } from '../scan/duckdb/library.ts';

/**
 * A DuckDB of its own for one write: it may read the input files and write below the output
 * folders, nothing else (rules as in scan/duckdb/instance.ts).
 */
export class WriterSession {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(inputs: readonly string[], outputs: readonly string[]): Promise<WriterSession> {
    const instance = await nodeApi().DuckDBInstance.create(':memory:', {
      memory_limit: '4GB',
      temp_directory: '',
    });
    const connection = await instance.connect();
    const list = (paths: readonly string[]) => `[${paths.map(quoteText).join(', ')}]`;
    await connection.run(
      `SET autoinstall_known_extensions=false; SET autoload_known_extensions=false;
       SET preserve_insertion_order=true; SET TimeZone='UTC';
       SET allowed_paths=${list(inputs)};
       SET allowed_directories=${list(outputs.map((path) => `${path}/`))};
       SET enable_external_access=false; SET lock_configuration=true`,
    );
    return new WriterSession(instance, connection);
  }

  get connection(): DuckDBConnection {
    return this.#connection;
  }

  /** Runs a statement. Faults of the input become invalid_argument, a full disk disk_full, a
   * folder that may not be written permission_denied. */
  async run(sql: string): Promise<void> {
    try {
      await this.#connection.run(sql);
    } catch (cause) {
      throw writeFault(cause);
    }
  }

  /** All rows of a small answer, as JavaScript values of DuckDB's node API. */
  async rows(sql: string) {
    try {
      return await (await this.#connection.runAndReadAll(sql)).getRows();
    } catch (cause) {
      throw writeFault(cause);
    }
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

function writeFault(cause: unknown): LakeError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [first] = message.split('\n');
  if (/No space left|ENOSPC/i.test(message)) return new LakeError('disk_full', first, { cause });
  if (/Permission denied|Operation not permitted|Read-only file system/.test(message)) {
    return new LakeError('permission_denied', first, { cause });
  }
  if (/out of memory/i.test(message)) return new LakeError('out_of_memory', first, { cause });
  return new LakeError('invalid_argument', first, { cause });
}
