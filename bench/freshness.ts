/**
 * Freshness: 1,000 rows appended and committed to a table of 443,726, until a process that has the
 * index open finds a word of theirs; against LanceDB (add, then optimize) and SQLite FTS5 (insert),
 * in turns, on the same rows. Ours three times: a process that follows, a process that has the
 * engine open and syncs, the command. Target: 3 x faster than LanceDB, p99 <= 300 ms.
 *
 *   node bench/freshness.ts [appends, default 60] [--modes=follow,sync,command,peers]
 */
import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows } from '@lakehouse-search/lake';
import { type CommitRow, commitRows, renewed, takeRows } from './commit-rows.ts';
import {
  buildFts,
  buildLance,
  insertFts,
  lancedb,
  lancePython,
  openFts,
  peerRow,
} from './freshness-peers.ts';
import {
  clock,
  commitsDefinition,
  copyCommits,
  machine,
  median,
  percentile,
  workFolder,
} from './shared.ts';

const ROWS = 1000;
const POLL_MS = 20;
/** LanceDB's optimize takes many seconds. */
const SLOW_ROUNDS = 4;
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const LHS = here('../packages/cli/bin/lhs.js');
const rounds = Number(process.argv[2] ?? 60);
const modes = (
  process.argv.find((a) => a.startsWith('--modes='))?.slice(8) ?? 'follow,sync,command,peers'
).split(',');

/** One append: when it began, when it was committed, when it was found. */
interface Times {
  readonly began: number;
  readonly committed: number;
  readonly found: number;
}
interface Writer {
  readonly name: string;
  readonly reader: ChildProcess;
  /** Writes rows; returns when they were committed, ends when nothing more is to be done. */
  write(rows: readonly CommitRow[]): Promise<number>;
  readonly times: Times[];
}

async function child(script: string, ...args: string[]): Promise<ChildProcess> {
  const process = fork(here(script), args);
  await once(process, 'message');
  return process;
}

async function end(process: ChildProcess): Promise<void> {
  const gone = once(process, 'exit');
  process.kill('SIGTERM');
  await gone;
}

let round = 0;
async function append(writer: Writer, template: readonly CommitRow[]): Promise<void> {
  round++;
  const word = `fresh${round}x`;
  const rows = renewed(template, round, word);
  const found = once(writer.reader, 'message');
  writer.reader.send(word);
  const began = clock();
  const committed = await writer.write(rows);
  const [at] = (await found) as [number];
  writer.times.push({ began, committed, found: at });
}

/** When the table's newest version was written. */
function commitTime(table: string): number {
  const versions = readdirSync(join(table, 'metadata'))
    .map((name) => Number(/^v(\d+)\.metadata\.json$/.exec(name)?.[1] ?? 0))
    .sort((a, b) => b - a);
  return statSync(join(table, `metadata/v${versions[0]}.metadata.json`)).mtimeMs;
}

function report({ name, times }: Writer): void {
  const after = times.map(({ committed, found }) => found - committed);
  const whole = times.map(({ began, found }) => found - began);
  const show = (ms: readonly number[]) =>
    `p50 ${median(ms).toFixed(0)}, p99 ${percentile(ms, 0.99).toFixed(0)}, max ` +
    `${Math.max(...ms).toFixed(0)} ms`;
  console.log(
    `  ${name.padEnd(22)} committed -> found ${show(after)}; with the commit ` +
      `${show(whole)}  (${times.length})`,
  );
}

const folder = workFolder();
const table = copyCommits(folder);
const data = join(folder, 'data');
const template = await takeRows(table, ROWS);
const backend = await openEngine(data, { create: true, threads: 0 });
await backend.createIndex({ definition: commitsDefinition(table) });
await backend.reindex({ index: 'commits' });
const reader = await child('freshness-reader.ts', 'lhs', data);
const children = [reader];
const all: Writer[] = [];

async function appendToTable(rows: readonly CommitRow[]): Promise<number> {
  await appendRows({ path: table }, { kind: 'rows', rows });
  return commitTime(table);
}

const follow: Writer = { name: 'lhs, following', reader, write: appendToTable, times: [] };
const sync: Writer = {
  name: 'lhs, sync',
  reader,
  async write(rows) {
    const committed = await appendToTable(rows);
    await backend.sync({ index: 'commits' });
    return committed;
  },
  times: [],
};
const command: Writer = {
  name: 'lhs index sync',
  reader,
  async write(rows) {
    const committed = await appendToTable(rows);
    await promisify(execFile)(process.execPath, [
      LHS,
      'index',
      'sync',
      'commits',
      '--data-dir',
      data,
    ]);
    return committed;
  },
  times: [],
};

async function lanceWriters(): Promise<{ indexed: Writer; scanned: Writer } | null> {
  const lance = lancedb();
  if (lance === null) return null;
  const place = join(folder, 'lance');
  const peer = await buildLance(lance, place, commitRows(table));
  const readers = [
    await child('freshness-reader.ts', 'lancedb', place),
    await child('freshness-reader.ts', 'lancedb-scan', place),
  ];
  children.push(...readers);
  const add = async (rows: readonly CommitRow[]) => {
    await peer.add(rows.map(peerRow));
    return clock();
  };
  const indexed = async (rows: readonly CommitRow[]) => {
    const committed = await add(rows);
    await peer.optimize();
    return committed;
  };
  return {
    indexed: { name: 'LanceDB, optimize', reader: readers[0], write: indexed, times: [] },
    scanned: { name: 'LanceDB, tail scanned', reader: readers[1], write: add, times: [] },
  };
}

/** Lance below LanceDB: the new rows get an index of their own. */
async function deltaWriter(): Promise<Writer | null> {
  const python = lancePython();
  if (python === null) return null;
  const place = join(folder, 'lance-delta');
  cpSync(join(folder, 'lance'), place, { recursive: true });
  const args = [here('lance-delta.py'), join(place, 'commits.lance')];
  const peer = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: peer.stdout });
  await once(lines, 'line');
  const peerReader = await child('freshness-reader.ts', 'lancedb', place);
  children.push(peerReader, peer);
  const write = async (rows: readonly CommitRow[]) => {
    const answer = once(lines, 'line');
    peer.stdin.write(`${JSON.stringify(rows.map(peerRow))}\n`);
    const [committed] = await answer;
    return Number(committed);
  };
  return { name: 'Lance, delta index', reader: peerReader, write, times: [] };
}

async function ftsWriter(): Promise<Writer> {
  const place = join(folder, 'fts.db');
  const db = openFts(place);
  await buildFts(db, commitRows(table));
  const peer = await child('freshness-reader.ts', 'fts5', place);
  children.push(peer);
  const write = async (rows: readonly CommitRow[]) => {
    insertFts(db, rows.map(peerRow));
    return clock();
  };
  return { name: 'SQLite FTS5', reader: peer, write, times: [] };
}

/** The peers that are asked in turns with ours, and LanceDB's slow or partial ways. */
async function openPeers() {
  const lance = modes.includes('peers') ? await lanceWriters() : null;
  const delta = lance === null ? null : await deltaWriter();
  const fts = modes.includes('peers') ? await ftsWriter() : null;
  const turns = [delta, fts].filter((writer) => writer !== null);
  return { turns, delta, slow: lance === null ? [] : [lance.indexed, lance.scanned] };
}

async function inTurns(count: number, writers: readonly Writer[]): Promise<void> {
  for (const writer of writers) if (!all.includes(writer)) all.push(writer);
  for (let i = 0; i < count; i++) for (const writer of writers) await append(writer, template);
}

function ratios(peer: Writer, ours: Writer): void {
  const theirs = peer.times.map(({ began, found }) => found - began);
  const own = ours.times.map(({ committed, found }) => found - committed);
  if (theirs.length === 0 || own.length === 0) return;
  const at = (share: number) => (percentile(theirs, share) / percentile(own, share)).toFixed(1);
  console.log(`  ${peer.name} / ${ours.name}: ${at(0.5)} x at p50, ${at(0.99)} x at p99`);
}

try {
  const peers = await openPeers();
  console.log(`freshness: ${ROWS} rows onto 443,726 (${machine()})`);
  if (modes.includes('follow')) {
    const follower = await child('freshness-follower.ts', data, String(POLL_MS));
    children.push(follower);
    await inTurns(rounds, [follow, ...peers.turns]);
    await end(follower);
    children.splice(children.indexOf(follower), 1);
  }
  if (modes.includes('sync')) await inTurns(rounds, [sync]);
  if (modes.includes('command')) await inTurns(Math.min(rounds, 20), [command]);
  await inTurns(Math.min(rounds, SLOW_ROUNDS), peers.slow);
  for (const writer of all) report(writer);
  console.log(
    '  their write until found over our commit until found (target 3; our p99 <= 300 ms):',
  );
  for (const ours of [follow, sync, command]) {
    for (const peer of [...peers.slow, ...peers.turns]) ratios(peer, ours);
  }
} finally {
  for (const one of children) await end(one);
  await backend.close();
  rmSync(folder, { recursive: true });
}
