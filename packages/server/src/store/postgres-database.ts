import { setTimeout as sleep } from 'node:timers/promises';
import { LhsError } from '@lakehouse-search/contract';
import { isUnreachable } from '@lakehouse-search/contract/internal';
import { type ColumnValue, inDialect, type Statements, type StoreDatabase } from './database.ts';

interface Result {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}
interface Connection {
  query(sql: string, values?: readonly ColumnValue[]): Promise<Result>;
  release(error?: unknown): void;
  on(event: 'error', listener: (error: Error) => void): void;
  off(event: 'error', listener: (error: Error) => void): void;
}
interface Pool {
  query(sql: string, values?: readonly ColumnValue[]): Promise<Result>;
  connect(): Promise<Connection>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
}
interface Driver {
  readonly Pool: new (options: object) => Pool;
  readonly types: { getTypeParser(oid: number, format?: string): (text: string) => unknown };
}

const MAX_CONNECTIONS = 8;
const CONNECT_MS = 5000;
/**
 * Time for the answer of a statement. A connection that a network has forgotten sends no error: it
 * is closed after this time, and the next statement opens another one.
 */
const QUERY_MS = 5000;
/** Time for connections to say goodbye. */
const CLOSE_MS = 2000;
/**
 * The server ends a transaction whose client sends nothing for this time, in milliseconds. A
 * control plane that was stopped within one would keep its locks, and no other one could lead.
 */
const IDLE_MS = 3000;
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`;
/** A connection that breaks between two statements is reported by the next one. */
const ignored = (): void => {};
/** PostgreSQL's number of the type bigint: counts and milliseconds, far below 2^53. */
const BIGINT = 20;

/** Time limits of a database. */
export interface PostgresTimes {
  /** Time for the answer of a statement. Default 5,000. */
  readonly queryMs?: number;
}

/** Opens a database of PostgreSQL by its URL. Throws unsupported without the package `pg`. */
export async function openPostgresDatabase(
  url: string,
  { queryMs = QUERY_MS }: PostgresTimes = {},
): Promise<StoreDatabase> {
  const { Pool, types } = await driver();
  const getTypeParser = (oid: number, format?: string) =>
    oid === BIGINT ? Number : types.getTypeParser(oid, format);
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: queryMs,
    // the server stops a statement whose client has given up
    statement_timeout: queryMs,
    keepAlive: true,
    types: { getTypeParser },
  });
  // a connection that breaks while it is idle is replaced by the next statement
  pool.on('error', ignored);
  return new PostgresDatabase(pool, shownUrl(url));
}

async function driver(): Promise<Driver> {
  const name = 'pg';
  try {
    return ((await import(name)) as { readonly default: Driver }).default;
  } catch (cause) {
    const message = 'a store in PostgreSQL needs the package "pg"; install it with npm install pg';
    throw new LhsError('unsupported', message, { cause });
  }
}

class PostgresDatabase implements StoreDatabase {
  readonly dialect = 'postgres';
  readonly #pool: Pool;
  readonly #shown: string;

  constructor(pool: Pool, shown: string) {
    this.#pool = pool;
    this.#shown = shown;
  }

  rows<T>(sql: string, values?: readonly ColumnValue[]): Promise<readonly T[]> {
    return this.#guard(() => rowsOf<T>(this.#pool, sql, values));
  }

  run(sql: string, values?: readonly ColumnValue[]): Promise<number> {
    return this.#guard(() => changedBy(this.#pool, sql, values));
  }

  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const connection = await this.#guard(() => this.#pool.connect());
    connection.on('error', ignored);
    let broken: unknown;
    try {
      await this.#guard(() => connection.query(BEGIN));
      const result = await work({
        rows: <R>(sql: string, values?: readonly ColumnValue[]) =>
          this.#guard(() => rowsOf<R>(connection, sql, values)),
        run: (sql, values) => this.#guard(() => changedBy(connection, sql, values)),
      });
      await this.#guard(() => connection.query('COMMIT'));
      return result;
    } catch (error) {
      broken = await rollBack(connection, error);
      throw error;
    } finally {
      connection.off('error', ignored);
      connection.release(broken);
    }
  }

  /** A silent connection does not answer a goodbye either: the process ends without it. */
  async close(): Promise<void> {
    const late = new AbortController();
    const waited = sleep(CLOSE_MS, undefined, { signal: late.signal }).catch(() => {});
    await Promise.race([this.#pool.end(), waited]);
    late.abort();
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw postgresError(error, this.#shown);
    }
  }
}

/** Ends a failed transaction; what the connection cannot be used for any more, if anything. */
async function rollBack(connection: Connection, error: unknown): Promise<unknown> {
  if (isUnreachable(error)) return error;
  try {
    await connection.query('ROLLBACK');
    return undefined;
  } catch (fault) {
    return fault;
  }
}

type Queryable = Pick<Pool, 'query'>;

async function rowsOf<T>(
  to: Queryable,
  sql: string,
  values?: readonly ColumnValue[],
): Promise<readonly T[]> {
  return (await to.query(inDialect(sql, 'postgres'), values)).rows as readonly T[];
}

async function changedBy(
  to: Queryable,
  sql: string,
  values?: readonly ColumnValue[],
): Promise<number> {
  return (await to.query(inDialect(sql, 'postgres'), values)).rowCount ?? 0;
}

/** An address without its password. */
function shownUrl(url: string): string {
  return URL.canParse(url) ? `${new URL(url).host}${new URL(url).pathname}` : 'PostgreSQL';
}

/** Codes with which the server ends connections: idle transactions and shutdowns among them. */
const LOST = /^(08|57P|25P03)/;

/** Errors of the server have a code of five characters; all others mean that it is not there. */
function postgresError(error: unknown, shown: string): LhsError {
  if (error instanceof LhsError) return error;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const isAnswer = /^[0-9A-Z]{5}$/.test(code) && !LOST.test(code);
  const why = `${shown}: ${message}`;
  if (isAnswer) return new LhsError('internal', `PostgreSQL at ${why}`, { cause: error });
  return new LhsError('unreachable', `cannot reach PostgreSQL at ${why}`, { cause: error });
}
