/**
 * `lhs index reindex` of git.commits with 1 and with 3 shards, in processes of their own, in turns:
 * time, processor time, size and peak RSS.
 *
 *   node bench/shards.ts [rounds]
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  commitsDefinition,
  machine,
  measureLhs,
  median,
  need,
  SHARED,
  workFolder,
} from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const rounds = Number(process.argv[2] ?? 3);
const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const folder = workFolder();
const COUNTS = [1, 3];
const dataOf = (shards: number) => join(folder, `data-${shards}`);

for (const shards of COUNTS) {
  const file = join(folder, `commits-${shards}.yaml`);
  writeFileSync(file, `${commitsDefinition(table)}sharding: { shards: ${shards} }\n`);
  execFileSync(process.execPath, [
    ...[LHS, 'index', 'create', '-f', file],
    ...['--data-dir', dataOf(shards)],
  ]);
}

const runs = COUNTS.map(() => [] as (ReturnType<typeof measureLhs> & { bytes: number })[]);
for (let round = 0; round < rounds; round++) {
  COUNTS.forEach((shards, i) => {
    const args = ['index', 'reindex', 'commits', '--json', '--data-dir', dataOf(shards)];
    const run = measureLhs(...args);
    runs[i]!.push({ ...run, bytes: (JSON.parse(run.stdout) as { bytes: number }).bytes });
  });
}
rmSync(folder, { recursive: true });

console.log(`reindex of git.commits by number of shards, ${rounds} rounds in turns (${machine()})`);
const medians = COUNTS.map((shards, i) => {
  const of = (name: 'seconds' | 'cpuSeconds' | 'bytes' | 'rss') =>
    median(runs[i]!.map((run) => run[name]));
  const [seconds, cpu, bytes] = [of('seconds'), of('cpuSeconds'), of('bytes')];
  const line = [
    `${shards} shards`,
    `${seconds.toFixed(2)} s`,
    `${cpu.toFixed(2)} s of processor time`,
    `${(bytes / 1e6).toFixed(1)} MB`,
    `peak RSS ${of('rss').toFixed(0)} MB`,
  ];
  console.log(`  ${line.join('   ')}`);
  return { seconds, cpu, bytes };
});
const ratio = (name: 'seconds' | 'cpu' | 'bytes') =>
  (medians[1]![name] / medians[0]![name]).toFixed(2);
const ratios = [
  `time ${ratio('seconds')} x`,
  `processor time ${ratio('cpu')} x`,
  `size ${ratio('bytes')} x`,
];
console.log(`  3 / 1 shards: ${ratios.join(', ')}`);
