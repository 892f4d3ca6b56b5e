/** The schemas of the registry's file (registry-file.ts describes the newest one). */
import { LhsError } from '@lakehouse-search/contract';
import type Database from 'better-sqlite3';

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
  `CREATE TABLE aliases (alias TEXT PRIMARY KEY NOT NULL, uuid TEXT NOT NULL) STRICT;
  CREATE TRIGGER aliases_of_dropped AFTER DELETE ON indexes
    BEGIN DELETE FROM aliases WHERE uuid = OLD.uuid; END;
  CREATE TABLE saved_queries (
    id TEXT PRIMARY KEY NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    request TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    UNIQUE (owner, name)
  ) STRICT`,
  `CREATE TABLE jobs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    uuid TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT,
    created_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    cancel_ms INTEGER,
    record TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX one_build ON jobs (uuid) WHERE kind = 'reindex' AND ended_ms IS NULL;
  CREATE TABLE generations (
    uuid TEXT NOT NULL,
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    job_id TEXT,
    until_ms INTEGER,
    PRIMARY KEY (uuid, number)
  ) STRICT;
  CREATE TRIGGER rows_of_dropped AFTER DELETE ON indexes
    BEGIN
      DELETE FROM jobs WHERE uuid = OLD.uuid;
      DELETE FROM generations WHERE uuid = OLD.uuid;
    END`,
  `CREATE TABLE former_definitions (
    uuid TEXT NOT NULL,
    until_version INTEGER NOT NULL,
    definition TEXT NOT NULL,
    parsed TEXT,
    base_dir TEXT NOT NULL,
    PRIMARY KEY (uuid, until_version)
  ) STRICT;
  CREATE TRIGGER definitions_of_dropped AFTER DELETE ON indexes
    BEGIN DELETE FROM former_definitions WHERE uuid = OLD.uuid; END`,
  "ALTER TABLE saved_queries ADD COLUMN mode TEXT NOT NULL DEFAULT 'lexical'",
  `ALTER TABLE generations ADD COLUMN kept_ms INTEGER;
  ALTER TABLE generations ADD COLUMN version INTEGER;
  ALTER TABLE generations ADD COLUMN fault TEXT;
  ALTER TABLE jobs ADD COLUMN name TEXT;
  DROP INDEX one_build;
  CREATE UNIQUE INDEX one_build ON jobs (uuid)
    WHERE kind IN ('reindex', 'alter', 'rollback') AND ended_ms IS NULL`,
  `CREATE TABLE merge_faults (
    uuid TEXT PRIMARY KEY NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    since_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER merge_faults_of_dropped AFTER DELETE ON indexes
    BEGIN DELETE FROM merge_faults WHERE uuid = OLD.uuid; END`,
  `CREATE TABLE sync_faults (
    uuid TEXT PRIMARY KEY NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    since_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER sync_faults_of_dropped AFTER DELETE ON indexes
    BEGIN DELETE FROM sync_faults WHERE uuid = OLD.uuid; END`,
];
/** The newest schema. */
export const SCHEMA_VERSION = SCHEMA_STEPS.length;

/** The schema of a file; 0: it is new. */
export const schemaOf = (db: Database.Database): number =>
  db.pragma('user_version', { simple: true }) as number;

/** Takes a database to the newest schema, within a transaction. */
export function migrateRegistry(db: Database.Database): void {
  for (const step of SCHEMA_STEPS.slice(schemaOf(db))) db.exec(step);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

/** The error of a file that this version of `lhs` does not know. */
export function newerSchema(path: string, version: number): LhsError {
  const message = `"${path}" was written by a newer lhs (schema ${version})`;
  return new LhsError('unsupported', message, {
    hint: `this lhs knows schema ${SCHEMA_VERSION}: update it, or choose another data folder`,
    next: [{ step: 'choose_data_folder' }],
  });
}
