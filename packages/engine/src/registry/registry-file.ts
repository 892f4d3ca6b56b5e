/**
 * The registry's file: one SQLite file, `<data folder>/registry.db`, in rollback-journal mode, so
 * that several processes may use it at once (each statement is its own transaction; a busy file is
 * waited for). `PRAGMA user_version` is the schema's version. A file of an older schema is read as
 * it is; the first change takes it to the newest one, and leaves a copy, `registry.db.v3`, for the
 * older lhs. A missing file reads as an empty one; the first change makes it, and the data folder.
 * Tables, since schema 9:
 *
 *   indexes name (unique), uuid, definition (YAML as given), base_dir (what relative paths in
 *                  it are relative to), version (1, and one more with each changed definition),
 *                  created_ms, parsed (schema/parse/parsed-definition.ts, or null; since schema 2)
 *   former_definitions  uuid, until_version, definition, parsed, base_dir: definitions that a
 *                  reindex replaced, for pinned commits of these versions; go with the index
 *   aliases        alias (unique, and no name of an index), uuid of its index; goes with the index
 *   saved_queries  id, owner (who; '' for whoever has the file), name (unique among the owner's),
 *                  description or null, request (JSON), created_ms, updated_ms, mode
 *   jobs           see jobs.ts; goes with the index
 *   generations    see generations.ts; goes with the index
 *   merge_faults, sync_faults  see faults.ts; go with the index
 */
import { closeSync, existsSync, openSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import Database from 'better-sqlite3';
import { engineClosed } from '../base/engine-closed.ts';
import { endLookPeriod, Looks } from '../base/looks.ts';
import { attempt, ioError } from '../storage/io-errors.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { migrateRegistry, newerSchema, SCHEMA_VERSION, schemaOf } from './registry-schema.ts';

const BUSY_MS = 10_000;

/** Its name in the data folder. */
export const REGISTRY_FILE = 'registry.db';

/** Two writes that are further apart than this leave different times. */
const SETTLED_MS = 2000;

/** Values that a statement takes by name. */
type Values = Readonly<Record<string, string | number | null>>;

/**
 * The open file. Each call is one statement; throws closed, io_error, corrupt_index, disk_full. A
 * file that was removed or replaced under its path is refused: what is written to it would be lost.
 */
export class RegistryFile {
  readonly path: string;
  #db: Database.Database;
  /** Null: there is no file yet. */
  #identity: string | null;
  /**
   * Reads use a database in memory with the newest schema, because the file is missing or has an
   * older schema.
   */
  #isCopy: boolean;
  /** The file's time when it was copied. */
  #copiedMs = 0;
  /** By SQL; there are few texts. */
  readonly #prepared = new Map<string, Database.Statement>();
  #ownChanges = 0;
  /** Counts the changes of other connections. */
  #others: unknown;
  /** The file's time when its changes were counted last; null: it had just been written. */
  #settledMs: number | null = null;
  /** The period (base/looks.ts) of the last look, and the version that it found. */
  #period = -1;
  #version = '';

  readonly #looks: Looks;

  /** Opens it. Throws unsupported too. */
  constructor(dataDir: string, looks = new Looks()) {
    this.#looks = looks;
    this.path = join(dataDir, REGISTRY_FILE);
    if (existsSync(dataDir)) makeFolder(dataDir); // refuses a file in its place
    const { identity, mtimeMs } = lookAt(this.path);
    this.#identity = identity;
    this.#copiedMs = mtimeMs;
    const { db, isCopy } = openDatabase(this.path);
    this.#db = db;
    this.#isCopy = isCopy;
  }

  /**
   * Changes with every change of the file, by any process. SQLite compares the change counter of
   * the file (sqlite.org/pragma.html#pragma_data_version), unless the file is known to be unchanged
   * by its time: one that was written long before the last comparison has another time after the
   * next write.
   */
  version(): string {
    if (!this.#db.open) throw engineClosed();
    const { period } = this.#looks;
    if (period === this.#period) return this.#version;
    const mtimeMs = this.#look();
    if (this.#isCopy) this.#copyAgain(mtimeMs);
    if (mtimeMs !== this.#settledMs) {
      const now = Date.now();
      this.#others = this.#run(() => this.#statement('PRAGMA data_version').pluck().get());
      this.#settledMs = now - mtimeMs > SETTLED_MS ? mtimeMs : null;
    }
    this.#version = `${this.#others}:${this.#ownChanges}`;
    this.#period = period;
    return this.#version;
  }

  /** All rows of a query. */
  all<T>(sql: string, values: Values = {}): readonly T[] {
    return this.#run(() => this.#statement(sql).all(values) as T[]);
  }

  /** The first row of a query, or undefined. */
  get<T>(sql: string, values: Values = {}): T | undefined {
    return this.#run(() => this.#statement(sql).get(values) as T | undefined);
  }

  /** Runs a statement; the number of rows that it changed. */
  change(sql: string, values: Values): number {
    return this.#changing(() => this.#statement(sql).run(values).changes);
  }

  /** Runs `work` in one transaction, which no other process's change can come between. */
  exclusively<T>(work: () => T): T {
    return this.#changing(() => this.#db.transaction(work).immediate());
  }

  /** The same for work that only reads. */
  settled<T>(work: () => T): T {
    return this.#isCopy ? this.#run(work) : this.exclusively(work);
  }

  /** Rewrites the file, so that nothing of deleted rows is left in free pages. */
  scrub(): void {
    this.#changing(() => this.#db.exec('VACUUM'));
  }

  /** Whether the file was removed or replaced since it was opened. */
  isGone(): boolean {
    return this.#identity !== null && lookAt(this.path).identity !== this.#identity;
  }

  /** Goes on with the file that is there now, or with an empty one. Throws as the constructor. */
  reopen(): void {
    const { identity, mtimeMs } = lookAt(this.path);
    this.#identity = identity;
    this.#copiedMs = mtimeMs;
    this.#settledMs = null;
    this.#ownChanges++;
    this.#period = -1;
    this.#use(openDatabase(this.path));
  }

  close(): void {
    this.#db.close();
  }

  #statement(sql: string): Database.Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const made = this.#db.prepare(sql);
    this.#prepared.set(sql, made);
    return made;
  }

  /** Runs work that may change the file: all connections of this process look at it again. */
  #changing<T>(work: () => T): T {
    this.#ownChanges++;
    endLookPeriod();
    try {
      if (this.#isCopy) this.#run(() => this.#takeToNewest());
      return this.#run(work);
    } finally {
      endLookPeriod();
    }
  }

  /** Another process has made the file, or changed it: an older lhs its rows, we its schema. */
  #copyAgain(mtimeMs: number): void {
    if (mtimeMs === this.#copiedMs) return;
    this.#copiedMs = mtimeMs;
    this.#ownChanges++;
    this.#use(openDatabase(this.path));
  }

  /** Takes the file itself to the newest schema, making it where it is missing. */
  #takeToNewest(): void {
    makeFolder(dirname(this.path));
    makeFile(this.path);
    this.#look();
    const db = connect(this.path);
    try {
      db.transaction(() => {
        const version = schemaOf(db);
        if (version > 0 && version < SCHEMA_VERSION) keepOld(`${this.path}.v${version}`, db);
        migrateRegistry(db);
      }).immediate();
    } catch (error) {
      db.close();
      throw error;
    }
    this.#use({ db, isCopy: false });
  }

  #use({ db, isCopy }: OpenedDatabase): void {
    this.#db.close();
    this.#prepared.clear();
    this.#db = db;
    this.#isCopy = isCopy;
  }

  /** The file's time. Throws io_error if the file was removed or replaced. */
  #look(): number {
    const { identity, mtimeMs } = lookAt(this.path);
    this.#identity ??= identity;
    if (identity !== this.#identity) throw dataFolderGone(this.path);
    return mtimeMs;
  }

  #run<T>(work: () => T): T {
    if (!this.#db.open) throw engineClosed();
    const mtimeMs = this.#look();
    try {
      if (this.#isCopy) this.#copyAgain(mtimeMs);
      return work();
    } catch (error) {
      throw registryError(error, this.path);
    }
  }
}

/** What tells a file from another one of its path (null: there is none), and its time. */
function lookAt(path: string): { readonly identity: string | null; readonly mtimeMs: number } {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { identity: null, mtimeMs: 0 };
    return { identity: `${stat.dev}:${stat.ino}`, mtimeMs: stat.mtimeMs };
  } catch (error) {
    throw ioError(error, 'look at', path);
  }
}

function dataFolderGone(path: string): LhsError {
  const message =
    `data folder "${dirname(path)}": "${basename(path)}" was removed or replaced while it ` +
    'was open';
  return new LhsError('io_error', message, {
    hint:
      'nothing was written; open the data folder again, and make its indexes again if they ' +
      'are gone',
    details: { path, gone: true },
  });
}

interface OpenedDatabase {
  readonly db: Database.Database;
  /** `db` is in memory: a copy of a file with an older schema, or empty for a missing file. */
  readonly isCopy: boolean;
}

/** Opens the file, which is not changed if it has an older schema, nor made if it is missing. */
function openDatabase(path: string): OpenedDatabase {
  let db: Database.Database | undefined;
  try {
    const isMissing = !existsSync(path);
    db = isMissing ? new Database(':memory:') : connect(path);
    const version = schemaOf(db);
    if (version > SCHEMA_VERSION) throw newerSchema(path, version);
    const isOld = version > 0 && version < SCHEMA_VERSION;
    if (isOld) {
      const bytes = db.serialize();
      db.close();
      db = new Database(bytes);
    }
    if (version < SCHEMA_VERSION) db.transaction(() => migrateRegistry(db!)).immediate();
    return { db, isCopy: isMissing || isOld };
  } catch (error) {
    db?.close();
    throw registryError(error, path);
  }
}

/**
 * Files of SQLite beside it have its permissions. A file that is there is not opened: closing it
 * would end the locks of other connections of this process.
 */
function makeFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

function connect(path: string): Database.Database {
  const db = new Database(path, { timeout: BUSY_MS });
  try {
    db.pragma('journal_mode = DELETE');
    // EXTRA flushes the folder after the journal is gone: with FULL a power loss may bring the
    // journal back and undo what was acknowledged (sqlite.org/pragma.html#pragma_synchronous).
    db.pragma('synchronous = EXTRA');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function keepOld(path: string, db: Database.Database): void {
  attempt('write', path, () => writeFileSync(path, db.serialize(), { mode: 0o600 }));
}

function registryError(error: unknown, path: string): LhsError {
  if (error instanceof LhsError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = error instanceof Error ? error.message : String(error);
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new LhsError('corrupt_index', `"${path}" is damaged: ${reason}`, {
      hint: 'make the indexes again from their definitions',
      next: [{ step: 'create_index' }],
      cause: error,
    });
  }
  if (code === 'SQLITE_FULL')
    return ioError(Object.assign(new Error(reason), { code: 'ENOSPC' }), 'write', path);
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN')) {
    const denied = writeFault(path);
    if (denied !== null) return denied;
  }
  const hint = 'check who owns the data folder and its permissions';
  return new LhsError('io_error', `cannot use "${path}": ${reason}`, { hint, cause: error });
}

/** Why the system does not let this process write a file that is there; null: it does. */
function writeFault(path: string): LhsError | null {
  try {
    closeSync(openSync(path, 'r+'));
    return null;
  } catch (error) {
    return ioError(error, 'write', path);
  }
}
