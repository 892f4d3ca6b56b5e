/**
 * The registry: which indexes a data folder holds. One SQLite file, `<data folder>/registry.db`, in
 * rollback-journal mode, so that several processes may use it at once (each statement is its own
 * transaction; a busy file is waited for). Folders are named by UUID, never by a user's text.
 *
 * Table `indexes`: name (unique), uuid, definition (YAML as given), base_dir (what relative paths
 * in it are relative to), version (1, and one more with each changed definition), created_ms, parsed
 * (the definition as schema/parsed-definition.ts stores it, or null; since schema 2).
 * `PRAGMA user_version` is the schema's version.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { LhsError } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';
import { ioError } from '../storage/io-errors.ts';
import { makeFolder } from '../storage/make-folder.ts';

/** Step n leads from schema n to n + 1. */
const SCHEMA_STEPS: readonly string[] = [
  `CREATE TABLE indexes (
    name TEXT PRIMARY KEY NOT NULL,
    uuid TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL,
    base_dir TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_ms INTEGER NOT NULL
  ) STRICT`,
  'ALTER TABLE indexes ADD COLUMN parsed TEXT',
];
const SCHEMA_VERSION = SCHEMA_STEPS.length;
const BUSY_MS = 10_000;

/** An index as the registry has it. */
export interface RegisteredIndex {
  readonly name: string;
  readonly uuid: string;
  readonly definition: string;
  /** The definition parsed (schema/parsed-definition.ts), or null where nobody has stored it. */
  readonly parsed: string | null;
  readonly baseDir: string;
  readonly version: number;
  readonly createdMs: number;
}

/** Several processes and several `Registry` objects may share one file. */
export class Registry {
  readonly path: string;
  readonly #db: Database.Database;

  /**
   * Opens the registry of a data folder, making folder and file where they are missing. Throws
   * io_error, corrupt_index.
   */
  constructor(dataDir: string) {
    this.path = join(dataDir, 'registry.db');
    this.#db = openDatabase(dataDir, this.path);
  }

  /** All indexes, sorted by name. */
  list(): readonly RegisteredIndex[] {
    const rows = this.#run(() => this.#db.prepare('SELECT * FROM indexes ORDER BY name').all());
    return (rows as Row[]).map(fromRow);
  }

  /** The index of that name. Throws index_not_found with the nearest name. */
  get(name: string): RegisteredIndex {
    const select = () => this.#db.prepare('SELECT * FROM indexes WHERE name = ?').get(name);
    const row = this.#run(select) as Row | undefined;
    if (row !== undefined) return fromRow(row);
    const names = this.list().map((index) => index.name);
    throw new LhsError('index_not_found', `there is no index "${name}"${didYouMean(name, names)}`, {
      hint:
        names.length === 0
          ? 'lhs index create -f FILE makes one'
          : `indexes: ${names.slice(0, 20).join(', ')} (lhs index list)`,
    });
  }

  /**
   * Adds an index under a new UUID; `parsed` as in RegisteredIndex. Throws index_exists.
   */
  add(
    name: string,
    definition: string,
    baseDir: string,
    parsed: string | null = null,
  ): RegisteredIndex {
    const index = {
      name,
      uuid: randomUUID(),
      definition,
      parsed,
      baseDir,
      version: 1,
      createdMs: Date.now(),
    };
    const added = this.#run(() =>
      this.#db
        .prepare(
          `INSERT INTO indexes (name, uuid, definition, base_dir, version, created_ms, parsed)
           VALUES (@name, @uuid, @definition, @baseDir, @version, @createdMs, @parsed)
           ON CONFLICT (name) DO NOTHING`,
        )
        .run(index),
    );
    if (added.changes === 1) return index;
    throw new LhsError('index_exists', `an index "${name}" exists already`, {
      hint: `lhs index drop ${name} removes it; lhs index describe ${name} shows it`,
    });
  }

  /** Takes an index out. True when it was there. */
  remove(uuid: string): boolean {
    const remove = () => this.#db.prepare('DELETE FROM indexes WHERE uuid = ?').run(uuid);
    return this.#run(remove).changes === 1;
  }

  close(): void {
    this.#db.close();
  }

  #run<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw registryError(error, this.path);
    }
  }
}

interface Row {
  readonly name: string;
  readonly uuid: string;
  readonly definition: string;
  readonly base_dir: string;
  readonly version: number;
  readonly created_ms: number;
  readonly parsed: string | null;
}

function fromRow(row: Row): RegisteredIndex {
  const { name, uuid, definition, parsed, version } = row;
  const { base_dir: baseDir, created_ms: createdMs } = row;
  return { name, uuid, definition, parsed, version, baseDir, createdMs };
}

function openDatabase(dataDir: string, path: string): Database.Database {
  makeFolder(dataDir);
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: BUSY_MS });
    db.pragma('journal_mode = DELETE');
    // EXTRA flushes the folder after the journal is gone: with FULL a power loss may bring the
    // journal back and undo what was acknowledged (sqlite.org/pragma.html#pragma_synchronous).
    db.pragma('synchronous = EXTRA');
    prepareSchema(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw registryError(error, path);
  }
}

function prepareSchema(db: Database.Database, path: string): void {
  const version = () => db.pragma('user_version', { simple: true }) as number;
  if (version() < SCHEMA_VERSION) {
    db.transaction(() => {
      for (const step of SCHEMA_STEPS.slice(version())) db.exec(step);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
    }).immediate();
  }
  if (version() > SCHEMA_VERSION) {
    throw new LhsError(
      'unsupported',
      `"${path}" was written by a newer lhs (schema ${version()})`,
      {
        hint: `this lhs knows schema ${SCHEMA_VERSION}: update it, or choose another --data-dir`,
      },
    );
  }
}

function registryError(error: unknown, path: string): LhsError {
  if (error instanceof LhsError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = error instanceof Error ? error.message : String(error);
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new LhsError('corrupt_index', `"${path}" is damaged: ${reason}`, {
      hint: 'the indexes can be made again from their definitions (lhs index create, reindex)',
      cause: error,
    });
  }
  if (code === 'SQLITE_FULL')
    return ioError(Object.assign(new Error(reason), { code: 'ENOSPC' }), 'write', path);
  const hint = 'check who owns the data folder and its permissions';
  return new LhsError('io_error', `cannot use "${path}": ${reason}`, { hint, cause: error });
}
