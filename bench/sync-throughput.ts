/**
 * Sync throughput: 100 snapshots of 5,000 rows, each a commit of its own, merges included, against
 * a reindex of the same final table; both as commands, in turns. Target: >= 0.5 x its rows/s.
 *
 *   node bench/sync-throughput.ts [rounds, default 3]
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitsDefinition, machine, median, workFolder } from './shared.ts';
import { snapshotsTable } from './snapshots-table.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const SNAPSHOTS = 100;
const ROWS = 5000;
const rounds = Number(process.argv[2] ?? 3);
const { path, snapshots } = await snapshotsTable(SNAPSHOTS, ROWS);
const folder = workFolder();
const data = join(folder, 'data');

/** Answer and seconds of a command. */
function lhs(...args: string[]) {
  const started = performance.now();
  const all = [LHS, 'index', ...args, '--data-dir', data, '--json'];
  const out = execFileSync(process.execPath, all, { encoding: 'utf8', stdio: 'pipe' });
  return { answer: JSON.parse(out), seconds: (performance.now() - started) / 1000 };
}

writeFileSync(join(folder, 'commits.yaml'), commitsDefinition(path));
lhs('create', '-f', join(folder, 'commits.yaml'));
const synced: number[] = [];
const built: number[] = [];
for (let round = 0; round < rounds; round++) {
  lhs('reindex', 'commits', '--as-of', snapshots[0]);
  const sync = lhs('sync', 'commits', '--no-net');
  const { snapshots_applied: applied, inserted } = sync.answer;
  if (applied !== SNAPSHOTS || inserted !== SNAPSHOTS * ROWS) {
    throw new Error(`${applied} snapshots and ${inserted} rows were synced`);
  }
  synced.push(inserted / sync.seconds);
  const whole = lhs('reindex', 'commits');
  built.push(whole.answer.doc_count / whole.seconds);
}
rmSync(folder, { recursive: true });
const rate = (rows: number) => `${Math.round(rows).toLocaleString('en-US')} rows/s`;
const each = (rates: readonly number[]) => rates.map((r) => Math.round(r)).join(', ');
console.log(`sync of ${SNAPSHOTS} snapshots of ${ROWS} rows, ${rounds} rounds (${machine()})`);
console.log(`  sync     ${rate(median(synced))} (${each(synced)})`);
console.log(`  reindex  ${rate(median(built))} (${each(built)})`);
const ratios = synced.map((r, i) => r / built[i]);
console.log(`  sync / reindex  ${median(ratios).toFixed(2)} x (target >= 0.5)`);
