import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import Database from 'better-sqlite3';
import { type ColumnValue, inDialect, type Statements, type StoreDatabase } from './database.ts';

/** Milliseconds that a statement waits for another process. */
const BUSY_MS = 10_000;

/** A database that ends with its process. */
export const IN_MEMORY = ':memory:';

/**
 * Opens a file of SQLite, readable by its owner alone, and makes it if it is missing. Throws
 * io_error.
 */
export function openSqliteDatabase(path: string): StoreDatabase {
  try {
    if (path !== IN_MEMORY) makeFile(path);
    const database = new Database(path, { timeout: BUSY_MS });
    database.pragma('journal_mode = DELETE');
    database.pragma('synchronous = EXTRA');
    return new SqliteDatabase(database, path);
  } catch (error) {
    throw sqliteError(error, path);
  }
}

/** A file that is there is not opened: closing it would end the locks of other connections. */
function makeFile(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/** One connection; a transaction keeps all other statements waiting until it ends. */
class SqliteDatabase implements StoreDatabase {
  readonly dialect = 'sqlite';
  readonly #database: Database.Database;
  readonly #path: string;
  readonly #prepared = new Map<string, Database.Statement>();
  /** Ends when the last transaction has ended. */
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(database: Database.Database, path: string) {
    this.#database = database;
    this.#path = path;
  }

  async rows<T>(sql: string, values?: readonly ColumnValue[]): Promise<readonly T[]> {
    if (this.#waiting > 0) await this.#turn;
    return this.#rows<T>(sql, values);
  }

  async run(sql: string, values?: readonly ColumnValue[]): Promise<number> {
    if (this.#waiting > 0) await this.#turn;
    return this.#run(sql, values);
  }

  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#turn
      .then(() => this.#transact(work))
      .finally(() => {
        this.#waiting--;
      });
    this.#turn = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    await this.#turn;
    this.#database.close();
  }

  async #transact<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    this.#guard(() => this.#database.exec('BEGIN IMMEDIATE'));
    try {
      const result = await work({
        rows: async <R>(sql: string, values?: readonly ColumnValue[]) => this.#rows<R>(sql, values),
        run: async (sql, values) => this.#run(sql, values),
      });
      this.#guard(() => this.#database.exec('COMMIT'));
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #rows<T>(sql: string, values: readonly ColumnValue[] = []): readonly T[] {
    return this.#guard(() => {
      const statement = this.#statement(sql);
      if (statement.reader) return statement.all(bound(values)) as T[];
      statement.run(bound(values));
      return [];
    });
  }

  #run(sql: string, values: readonly ColumnValue[] = []): number {
    return this.#guard(() => this.#statement(sql).run(bound(values)).changes);
  }

  #statement(sql: string): Database.Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(inDialect(sql, this.dialect));
    this.#prepared.set(sql, statement);
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error, this.#path);
    }
  }
}

/** Values by the names of their placeholders, `1`, `2`, … */
const bound = (values: readonly ColumnValue[]): Readonly<Record<string, ColumnValue>> =>
  Object.fromEntries(values.map((value, at) => [at + 1, value]));

function sqliteError(error: unknown, path: string): LhsError {
  if (error instanceof LhsError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new LhsError('io_error', `cannot use "${path}": ${reason}`, {
    hint: 'check who owns the file, its permissions and the free space',
    cause: error,
  });
}
