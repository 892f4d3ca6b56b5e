import { createHash } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import type { Statements, StoreDatabase } from './database.ts';

/**
 * Schema steps, in order. A step that has been released never changes: `migrate` compares its
 * checksum with the one that the database recorded. A new step is appended.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `CREATE TABLE users (
    subject TEXT PRIMARY KEY,
    password TEXT,
    roles TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL
  );
  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    roles TEXT NOT NULL,
    indexes TEXT,
    tenant TEXT,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT
  );
  CREATE TABLE signing_keys (
    id TEXT PRIMARY KEY,
    private_jwk TEXT NOT NULL,
    created_ms BIGINT NOT NULL
  );
  CREATE TABLE saved_queries (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    request TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    UNIQUE (owner, name)
  );
  CREATE TABLE activity (
    number {{serial}},
    at_ms BIGINT NOT NULL,
    index_name TEXT,
    operation TEXT NOT NULL,
    subject TEXT NOT NULL,
    outcome TEXT NOT NULL,
    details TEXT NOT NULL
  );
  CREATE INDEX activity_of_index ON activity (index_name, number);
  CREATE TABLE license (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    licensee TEXT NOT NULL,
    node_limit BIGINT,
    expires_ms BIGINT
  );
  CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL
  );
  CREATE TABLE definitions (
    index_name TEXT PRIMARY KEY,
    definition TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_ms BIGINT NOT NULL
  );
  CREATE TABLE routes (
    index_name TEXT PRIMARY KEY,
    generation BIGINT NOT NULL,
    snapshot TEXT,
    shards INTEGER NOT NULL,
    buckets TEXT NOT NULL
  );
  CREATE TABLE served_shards (
    index_name TEXT NOT NULL,
    shard INTEGER NOT NULL,
    node TEXT NOT NULL,
    address TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    seen_ms BIGINT NOT NULL,
    PRIMARY KEY (index_name, shard, node)
  )`,
  `DROP TABLE served_shards;
  ALTER TABLE routes ADD COLUMN definition TEXT NOT NULL DEFAULT '';
  ALTER TABLE routes ADD COLUMN replicas TEXT NOT NULL DEFAULT '[]';
  CREATE TABLE aliases (
    alias TEXT PRIMARY KEY,
    index_name TEXT NOT NULL
  );
  CREATE TABLE nodes (
    node TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    instance TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    state TEXT NOT NULL
  );
  CREATE TABLE placements (
    index_name TEXT NOT NULL,
    shard INTEGER NOT NULL,
    node TEXT NOT NULL,
    PRIMARY KEY (index_name, shard)
  );
  CREATE TABLE cluster_jobs (
    number {{serial}},
    id TEXT NOT NULL UNIQUE,
    index_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    generation BIGINT NOT NULL,
    request TEXT NOT NULL,
    record TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    cancel_ms BIGINT,
    created_ms BIGINT NOT NULL,
    ended_ms BIGINT
  );
  CREATE UNIQUE INDEX one_build_per_index ON cluster_jobs (index_name) WHERE ended_ms IS NULL`,
  "ALTER TABLE saved_queries ADD COLUMN mode TEXT NOT NULL DEFAULT 'lexical'",
  `CREATE TABLE dropped_indexes (
    node TEXT NOT NULL,
    index_name TEXT NOT NULL,
    uuid TEXT NOT NULL,
    PRIMARY KEY (node, uuid)
  )`,
  `CREATE TABLE receipt_key (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    private_pem TEXT NOT NULL
  )`,
  `CREATE TABLE faults (
    index_name TEXT NOT NULL,
    work TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    since_ms BIGINT NOT NULL,
    PRIMARY KEY (index_name, work)
  )`,
];

const RECORDS = `CREATE TABLE IF NOT EXISTS schema_steps (
  number INTEGER PRIMARY KEY,
  checksum TEXT NOT NULL,
  applied_ms BIGINT NOT NULL
)`;

/** Any number that no other program uses as an advisory lock of this database. */
const MIGRATION_LOCK = 4_817_221;

interface AppliedStep {
  readonly number: number;
  readonly checksum: string;
}

/**
 * Applies the steps that a database lacks, in one transaction; processes that start together wait
 * for each other. Throws unsupported if a newer version has written the database, or if a step
 * that it records is another one.
 */
export async function migrate(database: StoreDatabase, steps = SCHEMA_STEPS): Promise<number> {
  return database.transaction(async (statements) => {
    if (database.dialect === 'postgres') {
      await statements.rows(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    }
    await statements.run(RECORDS);
    const applied = await statements.rows<AppliedStep>(
      'SELECT number, checksum FROM schema_steps ORDER BY number',
    );
    refuseForeign(applied, steps);
    for (const step of steps.slice(applied.length)) await apply(statements, step, steps);
    return steps.length - applied.length;
  });
}

async function apply(statements: Statements, step: string, steps: readonly string[]) {
  for (const statement of step.split(';')) await statements.run(statement.trim());
  const number = steps.indexOf(step) + 1;
  const record = 'INSERT INTO schema_steps VALUES ($1, $2, {{now}})';
  await statements.run(record, [number, checksumOf(step)]);
}

function refuseForeign(applied: readonly AppliedStep[], steps: readonly string[]): void {
  if (applied.length > steps.length) {
    const message = `the database has schema ${applied.length}; this version knows ${steps.length}`;
    throw new LhsError('unsupported', message, { hint: 'update the server' });
  }
  for (const [at, { number, checksum }] of applied.entries()) {
    if (number === at + 1 && checksum === checksumOf(steps[at])) continue;
    const message = `step ${number} of the database's schema is not the one of this version`;
    throw new LhsError('unsupported', message, { hint: 'restore the database from a backup' });
  }
}

const checksumOf = (step: string): string => createHash('sha256').update(step).digest('hex');
