/**
 * The database of a server behind one asynchronous interface. SQL is written once: placeholders
 * are `$1`, `$2`, …; `{{serial}}` and `{{now}}` are the two places where the dialects differ.
 */

/** A value of a column. Structured values are stored as JSON text. */
export type ColumnValue = string | number | null;

/** Statements, alone or within a transaction. */
export interface Statements {
  /** The rows of a query, or of a change with RETURNING. */
  rows<T>(sql: string, values?: readonly ColumnValue[]): Promise<readonly T[]>;
  /** The number of rows that a statement changed. */
  run(sql: string, values?: readonly ColumnValue[]): Promise<number>;
}

/** The dialects of SQL. */
export type Dialect = 'sqlite' | 'postgres';

/** A database of users, tokens, leases and routes. Throws io_error, unreachable, unsupported. */
export interface StoreDatabase extends Statements {
  readonly dialect: Dialect;
  /** Runs `work` in one transaction: all of its changes are made, or none if it throws. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const WORDS: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: {
    serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  },
  postgres: {
    serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    now: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  },
};

/** A statement in the words of a dialect. */
export function inDialect(sql: string, dialect: Dialect): string {
  return sql.replace(/\{\{(\w+)\}\}/g, (_, word: string) => WORDS[dialect][word]);
}

/** The first row of a query. */
export async function firstRow<T>(
  statements: Statements,
  sql: string,
  values?: readonly ColumnValue[],
): Promise<T | undefined> {
  return (await statements.rows<T>(sql, values))[0];
}
