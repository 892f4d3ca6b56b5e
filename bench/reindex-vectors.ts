/**
 * `lhs index reindex` of git.commits with and without a VECTOR field over the subject (default
 * model), each in a process of its own, in turns, by the clock and by processor time (on a loaded
 * machine that is the steadier one). A first reindex with the field embeds every distinct subject
 * and fills the cache; the next ones embed nothing. Target: <= 2 x the time without it, a second
 * reindex computes 0 embeddings.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machine, median, need, SHARED, wholeDefinition } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const rounds = Number(process.argv[2] ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'lhs-bench-'));
const data = join(folder, 'data');

function create(index: string, more: string) {
  const file = join(folder, `${index}.yaml`);
  writeFileSync(file, wholeDefinition(index, table) + more);
  execFileSync(process.execPath, [LHS, 'index', 'create', '-f', file, '--data-dir', data]);
}

/** Seconds, bytes, peak RSS (MB) and counts of one reindex in a process of its own. */
function reindex(index: string) {
  const script = `process.argv.splice(1, 1, ${JSON.stringify(LHS)});
    process.on('exit', () => {
      const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
      process.stderr.write('USE ' + maxRSS + ' ' + (userCPUTime + systemCPUTime) + '\\n');
    });
    await import(${JSON.stringify(LHS)});`;
  const command = ['index', 'reindex', index, '--json', '--data-dir', data];
  const args = ['--input-type=module', '-e', script, 'x', ...command];
  const started = performance.now();
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const seconds = (performance.now() - started) / 1000;
  const [, rss, micros] = /USE (\d+) (\d+)/.exec(stderr)!.map(Number);
  return { seconds, rss: rss / 1024, cpu: micros / 1e6, ...JSON.parse(stdout) };
}

const sizeOf = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.includes('embeddings'))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

create('plain', '');
create('vectors', '  - { name: meaning, type: VECTOR, source: subject }\n');
const plain = [reindex('plain')];
const first = reindex('vectors');
const again: ReturnType<typeof reindex>[] = [];
for (let round = 0; round < rounds; round++) {
  again.push(reindex('vectors'));
  plain.push(reindex('plain'));
}
const cache = sizeOf(join(data, 'indexes'));
rmSync(folder, { recursive: true });

const seconds = (runs: readonly { seconds: number }[]) => median(runs.map((run) => run.seconds));
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
const cpu = (runs: readonly { cpu: number }[]) => median(runs.map((run) => run.cpu));
const line = (name: string, runs: readonly ReturnType<typeof reindex>[]) => {
  const [run] = runs;
  const time = seconds(runs);
  const work = `processor ${cpu(runs).toFixed(1)} s, ${(cpu(runs) / cpu(plain)).toFixed(2)} x`;
  const { reused = 0, computed = 0 } = run.embeddings ?? {};
  const ratio = (time / seconds(plain)).toFixed(2);
  const counts = `${computed} embedded, ${reused} reused`;
  console.log(
    `  ${name} ${time.toFixed(2)} s, ${ratio} x (${work}), ${counts}, ${mb(run.bytes)}, ` +
      `peak RSS ${run.rss.toFixed(0)} MB`,
  );
};
console.log(`reindex of git.commits with a VECTOR field, ${rounds} rounds in turns (${machine()})`);
line('without      ', plain);
line('with, first  ', [first]);
line('with, again  ', again);
console.log(`  cache ${mb(cache)}; target <= 2 x, 0 embedded again`);
