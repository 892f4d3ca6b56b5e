/**
 * A small append to a large table, from the commit to the searchable index: 1,000 rows onto a copy
 * of git.commits (443,726 rows), then `sync` of an open backend. What it costs must follow the
 * change, not the index.
 */
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocal } from '@lakehouse-search/engine';
import { appendRows } from '@lakehouse-search/lake';
import { machine, median, need, SHARED } from './shared.ts';

const ROWS = 1000;
const source = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const rounds = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'lhs-bench-'));
const path = join(folder, 'commits');
cpSync(source, path, { recursive: true });
for (const sub of ['', 'data', 'metadata']) chmodSync(join(path, sub), 0o755);
for (const sub of ['data', 'metadata']) {
  for (const file of readdirSync(join(path, sub))) chmodSync(join(path, sub, file), 0o644);
}

const DEFINITION = `version: 1
index: commits
source: { path: ${path} }
key: { partition: [repo], identifier: [sha] }
fields:
  - { name: text, type: TEXT, source: [subject, body], analyzer: simple }
  - { name: repo, type: KEYWORD, fast: true }
  - { name: authored_at, type: DATE }
  - { name: words, type: LONG }
`;

/** Rows with keys of their own. */
function newRows(round: number): Record<string, unknown>[] {
  return Array.from({ length: ROWS }, (_, i) => ({
    repo: 'bench',
    sha: String(round).padStart(8, '0') + String(i).padStart(32, '0'),
    subject: `appended ${i}`,
    body: `round ${round} of the benchmark`,
    words: 6,
  }));
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

const backend = await openLocal(join(folder, 'data'));
try {
  await backend.createIndex({ definition: DEFINITION });
  await backend.reindex({ index: 'commits' });
  const appended: number[] = [];
  const synced: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const rows = newRows(round);
    appended.push((await timed(() => appendRows({ path }, { kind: 'rows', rows }))).ms);
    const { ms, value } = await timed(() => backend.sync({ index: 'commits' }));
    if (value.inserted !== ROWS) throw new Error(`${value.inserted} rows were inserted`);
    synced.push(ms);
  }
  const found = await backend.search({ index: 'commits', query: 'repo:bench' });
  if (found.total !== rounds * ROWS) throw new Error(`${found.total} rows are found`);
  console.log(`append and sync, ${rounds} rounds (${machine()})`);
  console.log(
    `  ${ROWS} rows onto 443,726: written and committed p50 ${median(appended).toFixed(0)} ms, synced p50 ${median(synced).toFixed(0)} ms`,
  );
} finally {
  await backend.close();
  rmSync(folder, { recursive: true });
}
