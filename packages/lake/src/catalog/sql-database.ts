import { LakeError } from '../base/errors.ts';
import { kindOfPath } from '../base/files/table-files.ts';
import { createSecrets, shownUri } from '../base/secrets.ts';

/** The one table of a SQL catalog, as the JDBC catalog of Iceberg and pyiceberg write it. */
export interface SqlRow {
  readonly catalog_name: string;
  readonly table_namespace: string;
  readonly table_name: string;
  readonly metadata_location: string | null;
  /** `TABLE` or `VIEW`; catalogs of the first layout lack the column. */
  readonly iceberg_type?: string | null;
}

/** A connection that is opened for one question and closed after it. Placeholders are `?`. */
export interface SqlDatabase {
  /** Address of the database for errors, without password. */
  readonly shown: string;
  rows(sql: string, values: readonly string[]): Promise<readonly SqlRow[]>;
  /** How many rows an INSERT or UPDATE changed. */
  run(sql: string, values: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens the database of `sqlite:///FILE` or `postgres://…`. `write` false opens SQLite read-only.
 * Throws catalog_unreachable.
 */
export async function openSqlDatabase(uri: string, write: boolean): Promise<SqlDatabase> {
  const sqlite = sqliteFile(uri);
  if (sqlite !== null) return openSqlite(sqlite, write);
  if (/^(jdbc:)?postgres(ql)?(\+[a-z0-9]+)?:\/\//.test(uri)) return openPostgres(uri);
  throw new LakeError(
    'invalid_argument',
    `catalog uri "${shownUri(uri)}" is not of the form sqlite:///FILE or postgres://…`,
  );
}

/**
 * The file of a SQLite uri (`sqlite:///rel`, `sqlite:////abs`, `jdbc:sqlite:FILE`), or null for
 * other databases.
 */
export function sqliteFile(uri: string): string | null {
  const url =
    /^sqlite(?:\+[a-z]+)?:\/\/\/(.+)$/.exec(uri) ?? /^jdbc:sqlite:(?:file:)?(.+)$/.exec(uri);
  return url === null ? null : url[1]!;
}

function unreachable(shown: string, error: unknown): LakeError {
  return new LakeError(
    'catalog_unreachable',
    `catalog "${shown}" cannot be used (${(error as Error).message})`,
    { file: shown, cause: error },
  );
}

async function openSqlite(file: string, write: boolean): Promise<SqlDatabase> {
  if ((await kindOfPath(file)) !== 'file' && !write) {
    throw new LakeError('catalog_unreachable', `catalog database "${file}" is not there`, { file });
  }
  const { default: Database } = await import('better-sqlite3');
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw unreachable(file, error);
    }
  };
  const database = guard(() => new Database(file, { readonly: !write, timeout: 10_000 }));
  return {
    shown: file,
    rows: async (sql, values) => guard(() => database.prepare(sql).all(...values) as SqlRow[]),
    run: async (sql, values) => guard(() => database.prepare(sql).run(...values).changes),
    close: async () => void database.close(),
  };
}

interface PgClient {
  connect(): Promise<void>;
  query(
    sql: string,
    values: readonly string[],
  ): Promise<{ rows: SqlRow[]; rowCount: number | null }>;
  end(): Promise<void>;
}
interface PgModule {
  readonly default: { readonly Client: new (options: object) => PgClient };
}

async function importPg(): Promise<PgModule> {
  const name = 'pg';
  try {
    return (await import(name)) as PgModule;
  } catch (error) {
    throw new LakeError(
      'unsupported',
      'a PostgreSQL catalog needs the package "pg"; install it with npm install pg',
      { cause: error },
    );
  }
}

/** A client that is not connected. The driver's error for a wrong address quotes all of it. */
function newClient(pg: PgModule['default'], connectionString: string, shown: string): PgClient {
  try {
    return new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  } catch {
    throw new LakeError('invalid_argument', `catalog uri "${shown}" is not a valid address`);
  }
}

async function openPostgres(uri: string): Promise<SqlDatabase> {
  const { default: pg } = await importPg();
  const shown = shownUri(uri);
  const secrets = createSecrets(...passwordsOf(uri));
  const connectionString = uri.replace(/^(jdbc:)?postgres(ql)?(\+[a-z0-9]+)?:/, 'postgres:');
  const client = newClient(pg, connectionString, shown);
  const guard = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw unreachable(shown, secrets.masked(error));
    }
  };
  try {
    await guard(client.connect());
  } catch (error) {
    // not awaited: a server that has refused us need not answer
    void client.end().catch(() => undefined);
    throw error;
  }
  const query = (sql: string, values: readonly string[]) =>
    guard(client.query(numberedPlaceholders(sql), values));
  return {
    shown,
    rows: async (sql, values) => (await query(sql, values)).rows,
    run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    close: () => client.end(),
  };
}

/** The passwords that a connection with `uri` may send. */
function passwordsOf(uri: string): readonly string[] {
  const passwords = [process.env.PGPASSWORD ?? ''];
  try {
    const url = new URL(uri.replace(/^jdbc:/, ''));
    passwords.push(url.password, decodeURIComponent(url.password));
    passwords.push(url.searchParams.get('password') ?? '');
  } catch {
    // not a URL: the driver refuses it too, and its text is masked as a URI is
  }
  return passwords;
}

/** `?` -> `$1`, `$2`, …: PostgreSQL numbers its placeholders. */
export function numberedPlaceholders(sql: string): string {
  let number = 0;
  return sql.replace(/\?/g, () => `$${++number}`);
}
