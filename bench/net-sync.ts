/**
 * A catch-up of 299 snapshots of 10 rows in one step, over the sync of one snapshot of 2,990 rows
 * (target 3), and over one by one; each on a copy of git.commits, by the time that syncs report.
 *
 *   node bench/net-sync.ts [rounds]
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendRows } from '../packages/lake/src/index.ts';
import {
  builtDefinition,
  copyCommits,
  machine,
  measureLhs,
  median,
  newCommits,
  workFolder,
} from './shared.ts';

const SNAPSHOTS = 299;
const ROWS = 10;
const rounds = Number(process.argv[2] ?? 3);
const folder = workFolder();
const data = ['--data-dir', join(folder, 'data')];
const WAYS = { single: ['--no-net'], net: ['--net'], large: [] } as const;
type Way = keyof typeof WAYS;
let next = 0;

async function append(path: string, snapshots: number, rows: number): Promise<void> {
  for (let i = 0; i < snapshots; i++)
    await appendRows({ path }, { kind: 'rows', rows: newCommits(next++, rows) });
}

try {
  const took: Record<Way, number[]> = { single: [], net: [], large: [] };
  const cpu: Record<Way, number[]> = { single: [], net: [], large: [] };
  const paths = Object.keys(WAYS).map((way) => {
    mkdirSync(join(folder, way));
    const path = copyCommits(join(folder, way));
    const file = join(folder, `${way}.yaml`);
    writeFileSync(file, builtDefinition(way, path, 'keep_previous: 0\n'));
    measureLhs('index', 'create', '-f', file, ...data);
    measureLhs('reindex', way, ...data);
    return [way as Way, path] as const;
  });
  for (let round = 0; round < rounds; round++) {
    for (const [way, path] of paths) {
      if (way === 'large') await append(path, 1, SNAPSHOTS * ROWS);
      else await append(path, SNAPSHOTS, ROWS);
      const done = measureLhs('index', 'sync', way, '--json', ...WAYS[way], ...data);
      took[way].push(JSON.parse(done.stdout).took_ms);
      cpu[way].push(done.cpuSeconds);
    }
  }
  const over = (way: Way, of = took) => median(of.net.map((n, i) => n / of[way][i])).toFixed(2);
  console.log(
    `catch-up of ${SNAPSHOTS} snapshots of ${ROWS} rows, ${rounds} rounds (${machine()})`,
  );
  console.log(`  one step: ${median(took.net)} ms; one by one: ${median(took.single)} ms`);
  console.log(`  over one snapshot of ${SNAPSHOTS * ROWS} rows: ${over('large')} (target 3)`);
  console.log(`    ${over('large', cpu)} by processor time of the process`);
  console.log(`  over one by one: ${over('single')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
