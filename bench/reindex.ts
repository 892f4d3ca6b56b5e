/**
 * `lhs index reindex` of git.commits from its Iceberg table (all fields, keys, locators, hashes,
 * fsync) against SQLite FTS5 that indexes the text alone from memory; both in processes of their
 * own, in turns. Target: <= 1.5 x, peak RSS <= 900 MB.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machine, measureLhs, median, need, SHARED, WORK, wholeDefinition } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const docs = need(join(WORK, 'docs.jsonl'), 'see bench/README.md');
const rounds = Number(process.argv[2] ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'lhs-bench-'));
const data = join(folder, 'data');

function lhs(...args: string[]) {
  return execFileSync(process.execPath, [LHS, ...args, '--data-dir', data, '--json'], {
    encoding: 'utf8',
  });
}

/** Seconds, rows and peak RSS (MB) of one reindex in a process of its own. */
function reindex() {
  const args = ['index', 'reindex', 'commits', '--json', '--data-dir', data];
  const { stdout, seconds, rss } = measureLhs(...args);
  const { doc_count: rows, bytes } = JSON.parse(stdout);
  return { seconds, rows, bytes, rss };
}

function fts5() {
  const script = join(SHARED, 'peers/sqlite_peer.py');
  const out = execFileSync(
    'python3',
    [script, 'index', '--docs', docs, '--out', join(folder, 'fts.db')],
    { encoding: 'utf8' },
  );
  return JSON.parse(out).seconds as number;
}

writeFileSync(join(folder, 'commits.yaml'), wholeDefinition('commits', table));
lhs('index', 'create', '-f', join(folder, 'commits.yaml'));
const ours: ReturnType<typeof reindex>[] = [];
const theirs: number[] = [];
for (let round = 0; round < rounds; round++) {
  ours.push(reindex());
  theirs.push(fts5());
}
rmSync(folder, { recursive: true });
const [{ rows, bytes }] = ours;
const seconds = median(ours.map((o) => o.seconds));
const peer = median(theirs);
console.log(`reindex of git.commits, ${rounds} rounds in turns (${machine()})`);
console.log(
  `  lhs    ${seconds.toFixed(2)} s, ` +
    `${Math.round(rows / seconds).toLocaleString('en-US')} rows/s, ` +
    `${(bytes / 1e6).toFixed(1)} MB, peak RSS ` +
    `${Math.max(...ours.map((o) => o.rss)).toFixed(0)} MB (target 900)`,
);
console.log(`  FTS5   ${peer.toFixed(2)} s, text only`);
console.log(`  lhs / FTS5  ${(seconds / peer).toFixed(2)} x (target <= 1.5)`);
