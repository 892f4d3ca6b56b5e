/**
 * A small append to a large table, from the commit to the searchable index: 1,000 rows onto a copy
 * of git.commits (443,726 rows), then `sync` of an open backend. What it costs must follow the
 * change, not the index.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows } from '@lakehouse-search/lake';
import {
  commitsDefinition,
  copyCommits,
  machine,
  median,
  newCommits,
  workFolder,
} from './shared.ts';

const ROWS = 1000;
const rounds = Number(process.argv[2] ?? 5);
const folder = workFolder();
const path = copyCommits(folder);

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
try {
  await backend.createIndex({ definition: commitsDefinition(path) });
  await backend.reindex({ index: 'commits' });
  const appended: number[] = [];
  const synced: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const rows = newCommits(round, ROWS);
    appended.push((await timed(() => appendRows({ path }, { kind: 'rows', rows }))).ms);
    const { ms, value } = await timed(() => backend.sync({ index: 'commits' }));
    if (value.inserted !== ROWS) throw new Error(`${value.inserted} rows were inserted`);
    synced.push(ms);
  }
  const found = await backend.search({ index: 'commits', query: 'repo:bench' });
  if (found.total !== rounds * ROWS) throw new Error(`${found.total} rows are found`);
  console.log(`append and sync, ${rounds} rounds (${machine()})`);
  console.log(
    `  ${ROWS} rows onto 443,726: written and committed p50 ` +
      `${median(appended).toFixed(0)} ms, synced p50 ${median(synced).toFixed(0)} ms`,
  );
} finally {
  await backend.close();
  rmSync(folder, { recursive: true });
}
