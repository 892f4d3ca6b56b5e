/**
 * What a sync reads: snapshots 9 (merge-on-read delete of 0.5 % of git.commits), 10 (update of 1 %)
 * and 11 (compaction of the files before 2008) on an index of snapshot 8. Target: no row that did
 * not change is touched, so a delete reads no data file at all. Prints the bytes by kind of file.
 *
 *   node bench/merge-on-read.ts [rounds, default 3]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { openTable, type SourceTable } from '@lakehouse-search/lake';
import { commitsDefinition, machine, median, need, SHARED, workFolder } from './shared.ts';

const FIRST = 7;
const script = fileURLToPath(new URL('io-of-sync.ts', import.meta.url));
const path = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const rounds = Number(process.argv[2] ?? 3);
const folder = workFolder();
const data = join(folder, 'data');

interface Measured {
  readonly answer: { inserted: number; updated: number; deleted: number };
  readonly ms: number;
  readonly rchar: number;
  readonly bytes: Readonly<Record<string, number>>;
}

/** One sync in a process of its own. */
async function measure(until: string, warm: string): Promise<Measured> {
  const child = fork(script, [data, until, warm]);
  const gone = once(child, 'exit');
  const [measured] = (await once(child, 'message')) as [Measured];
  await gone;
  return measured;
}

const kb = (bytes: number) => `${Math.round(bytes / 1024).toLocaleString('en-US')} KiB`;

/** Bytes of the data files of a snapshot. */
async function dataBytes(table: SourceTable, id: bigint): Promise<number> {
  const { files } = await table.files(id);
  return files.reduce((sum, { data: file }) => sum + Number(file.fileSize), 0);
}

const table = await openTable({ path });
const snapshots = [...table.ancestry(table.currentSnapshotId!)].reverse();
const backend = await openEngine(data, { create: true, threads: 0 });
await backend.createIndex({ definition: commitsDefinition(path) });
const measured: Measured[][] = snapshots.slice(FIRST + 1).map(() => []);
for (let round = 0; round < rounds; round++) {
  await backend.reindex({ index: 'commits', as_of: String(snapshots[FIRST].id) });
  for (let i = FIRST + 1; i < snapshots.length; i++) {
    const [until, warm] = [snapshots[i].id, snapshots[i - 1].id].map(String);
    measured[i - FIRST - 1].push(await measure(until, warm));
  }
}
await backend.close();
console.log(`sync of git.commits' last snapshots, ${rounds} rounds (${machine()})`);
for (let i = FIRST + 1; i < snapshots.length; i++) {
  const all = measured[i - FIRST - 1];
  const [{ answer, bytes, rchar }] = all;
  const { inserted, updated, deleted } = answer;
  const kinds = Object.entries(bytes).map(([kind, read]) => `${kind} ${kb(read)}`);
  const whole = await dataBytes(table, snapshots[i].id);
  console.log(
    `  ${i + 1} ${snapshots[i].operation}: ${inserted} inserted, ${updated} updated, ` +
      `${deleted} deleted in ${median(all.map(({ ms }) => ms)).toFixed(0)} ms`,
  );
  console.log(
    `    read ${kb(rchar)} of a table of ${kb(whole)} data files (by its own code: ` +
      `${kinds.join(', ')})`,
  );
}
await table.close();
rmSync(folder, { recursive: true });
