/**
 * Search while the index is written: p50 and p99 of a query mix in a search process, idle, while
 * another process syncs through 100 snapshots of 1,000 rows as fast as it can and merges, and while
 * one follows a table that gets 1,000 rows every 250 ms. Target: p99 <= 3 x that of the idle index.
 *
 *   node bench/search-while-syncing.ts [rounds, default 3]
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows } from '@lakehouse-search/lake';
import { renewed, takeRows } from './commit-rows.ts';
import {
  commitsDefinition,
  copyCommits,
  machine,
  median,
  need,
  percentile,
  SHARED,
  workFolder,
} from './shared.ts';

const ROWS = 1000;
const SNAPSHOTS = 100;
const IDLE_MS = 8000;
const EVERY_MS = 250;
const FOLLOWED = 40;
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const LHS = here('../packages/cli/bin/lhs.js');
const rounds = Number(process.argv[2] ?? 3);
const queries = need(join(SHARED, 'data/commits-queries.json'), 'the shared folder');
const folder = workFolder();
const table = copyCommits(folder);
const data = join(folder, 'data');

interface Asked {
  readonly times: readonly number[];
  readonly snapshots: number;
}

/** Times of the searches that ran while `work` did. */
async function searchedDuring(
  searcher: ChildProcess,
  work: () => Promise<unknown>,
): Promise<Asked> {
  searcher.send('start');
  await work();
  const answer = once(searcher, 'message');
  searcher.send('stop');
  const [asked] = (await answer) as [Asked];
  return asked;
}

let appended = 0;
async function append(): Promise<void> {
  appended++;
  const rows = renewed(template, appended, `fresh${appended}x`);
  await appendRows({ path: table }, { kind: 'rows', rows });
}

/** `lhs index sync` in a process of its own, until it ends. */
async function sync(): Promise<void> {
  const args = [LHS, 'index', 'sync', 'commits', '--no-net', '--data-dir', data, '--json'];
  const process_ = spawn(process.execPath, args, { stdio: 'ignore' });
  const [code] = await once(process_, 'exit');
  if (code !== 0) throw new Error(`sync ended with ${code}`);
}

async function follow(): Promise<void> {
  const follower = fork(here('freshness-follower.ts'), [data, '50']);
  await once(follower, 'message');
  for (let i = 0; i < FOLLOWED; i++) {
    const next = setTimeout(EVERY_MS);
    await append();
    await next;
  }
  const gone = once(follower, 'exit');
  follower.kill('SIGTERM');
  await gone;
}

function show(name: string, asked: readonly Asked[], idle: readonly Asked[] | null): void {
  const p = (share: number, of: readonly Asked[]) =>
    median(of.map(({ times }) => percentile(times, share)));
  const each = asked.map(({ times }) => percentile(times, 0.99).toFixed(1)).join(', ');
  const ratio =
    idle === null ? '' : `, ${(p(0.99, asked) / p(0.99, idle)).toFixed(2)} x idle (target <= 3)`;
  const searches = asked.reduce((sum, { times }) => sum + times.length, 0);
  const seen = asked.reduce((sum, { snapshots }) => sum + snapshots, 0);
  console.log(
    `  ${name.padEnd(10)} p50 ${p(0.5, asked).toFixed(2)} ms, p99 ` +
      `${p(0.99, asked).toFixed(2)} ms (${each})${ratio}; ${searches} searches, ${seen} ` +
      'snapshots seen',
  );
}

const template = await takeRows(table, ROWS);
const backend = await openEngine(data, { create: true, threads: 0 });
await backend.createIndex({ definition: commitsDefinition(table) });
await backend.reindex({ index: 'commits' });
await backend.close();
const searcher = fork(here('query-loop.ts'), [data, queries]);
try {
  await once(searcher, 'message');
  const idle: Asked[] = [];
  const syncing: Asked[] = [];
  const following: Asked[] = [];
  const after: Asked[] = [];
  for (let round = 0; round < rounds; round++) {
    idle.push(await searchedDuring(searcher, () => setTimeout(IDLE_MS)));
    for (let i = 0; i < SNAPSHOTS; i++) await append();
    syncing.push(await searchedDuring(searcher, sync));
    following.push(await searchedDuring(searcher, follow));
    after.push(await searchedDuring(searcher, () => setTimeout(IDLE_MS / 2)));
  }
  console.log(`search while syncing, ${rounds} rounds (${machine()})`);
  show('idle', idle, null);
  show('syncing', syncing, idle);
  show('following', following, idle);
  show('idle after', after, idle);
} finally {
  searcher.kill();
  rmSync(folder, { recursive: true });
}
