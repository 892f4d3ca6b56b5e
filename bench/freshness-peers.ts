/**
 * The peers of bench/freshness.ts: LanceDB (from npm, put into the work folder at the first run)
 * and SQLite FTS5 (Node's own SQLite). Each holds what the index holds of a row: key, text and its
 * plain columns, and indexes the text with positions.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CommitRow } from './commit-rows.ts';
import { npmPeer } from './npm-peer.ts';
import { WORK } from './shared.ts';

const LANCEDB = '0.39.0';
const ARROW = '18.1.0';
const PYLANCE = '14.0.2';
const BATCH_ROWS = 20_000;

/** Of LanceDB's API what is used here. */
export interface LanceTable {
  add(rows: readonly object[]): Promise<unknown>;
  createIndex(column: string, options: { config: unknown }): Promise<void>;
  optimize(): Promise<unknown>;
  search(query: string, type: 'fts', columns: string): LanceQuery;
  countRows(): Promise<number>;
}
interface LanceQuery {
  fastSearch(): LanceQuery;
  select(columns: readonly string[]): LanceQuery;
  limit(rows: number): LanceQuery;
  toArray(): Promise<readonly object[]>;
}
interface Lance {
  connect(
    path: string,
    options: { readConsistencyInterval: number },
  ): Promise<{
    createTable(name: string, rows: readonly object[]): Promise<LanceTable>;
    openTable(name: string): Promise<LanceTable>;
  }>;
  readonly Index: { fts(options: object): unknown };
}

/** LanceDB; null: it cannot be had. */
export function lancedb(): Lance | null {
  const libc = process.platform === 'linux' ? '-gnu' : '';
  const native = `@lancedb/lancedb-${process.platform}-${process.arch}${libc}`;
  const packages = [`@lancedb/lancedb@${LANCEDB}`, `${native}@${LANCEDB}`, `apache-arrow@${ARROW}`];
  return npmPeer({
    name: '@lancedb/lancedb',
    packages,
    options: ['--omit=optional'],
  }) as Lance | null;
}

/**
 * A Python with pylance, made in the work folder where it is not there yet; null: not to be had.
 */
export function lancePython(): string | null {
  const folder = join(WORK, 'lance-venv');
  const python = join(folder, 'bin/python');
  if (!existsSync(python)) {
    spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    spawnSync(python, ['-m', 'pip', 'install', '-q', `pylance==${PYLANCE}`], { stdio: 'inherit' });
  }
  return spawnSync(python, ['-c', 'import lance']).status === 0 ? python : null;
}

/** A row as the peers hold it. */
export const peerRow = (row: CommitRow) => ({
  repo: String(row.repo),
  sha: String(row.sha),
  authored_at: String(row.authored_at),
  words: Number(row.words),
  text: `${row.subject ?? ''}\n${row.body ?? ''}`,
});

/** Fills a LanceDB table and its full-text index. */
export async function buildLance(
  lance: Lance,
  path: string,
  rows: AsyncIterable<CommitRow>,
): Promise<LanceTable> {
  const db = await lance.connect(path, { readConsistencyInterval: 0 });
  let table: LanceTable | null = null;
  for await (const batch of batches(rows)) {
    if (table === null) table = await db.createTable('commits', batch);
    else await table.add(batch);
  }
  if (table === null) throw new Error('there are no rows');
  const config = { withPosition: true, stem: false, removeStopWords: false, asciiFolding: false };
  await table.createIndex('text', { config: lance.Index.fts(config) });
  await table.optimize();
  return table;
}

/** A LanceDB table for reading: every query looks for a newer version first. */
export async function openLance(lance: Lance, path: string): Promise<LanceTable> {
  return (await lance.connect(path, { readConsistencyInterval: 0 })).openTable('commits');
}

/** SQLite as a service runs it: write-ahead log, every commit flushed to the disk. */
export function openFts(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=10000');
  return db;
}

const COLUMNS = ['repo', 'sha', 'authored_at', 'words'];

/** Fills an FTS5 table. */
export async function buildFts(db: DatabaseSync, rows: AsyncIterable<CommitRow>): Promise<void> {
  const plain = COLUMNS.map((name) => `${name} UNINDEXED`).join(', ');
  db.exec(`CREATE VIRTUAL TABLE commits USING fts5(${plain}, text)`);
  for await (const batch of batches(rows)) insertFts(db, batch);
}

/** Inserts rows in one transaction. */
export function insertFts(db: DatabaseSync, rows: readonly ReturnType<typeof peerRow>[]): void {
  db.exec('BEGIN');
  const insert = db.prepare('INSERT INTO commits VALUES (?, ?, ?, ?, ?)');
  for (const { repo, sha, authored_at, words, text } of rows) {
    insert.run(repo, sha, authored_at, words, text);
  }
  db.exec('COMMIT');
}

async function* batches(rows: AsyncIterable<CommitRow>) {
  let batch: ReturnType<typeof peerRow>[] = [];
  for await (const row of rows) {
    batch.push(peerRow(row));
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
