/**
 * One-shot commands with a warm page cache: `lhs --version` against `node -e 0` (target <= 4 x),
 * and `lhs index search commits … --json` (target <= 400 ms wall, engine <= 30 ms, RSS <= 200 MB).
 * The index of `bench/commits.ts`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machine, median, need, percentile, WORK } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const data = need(join(WORK, 'lhs-data'), 'node bench/commits.ts makes it');
const rounds = Number(process.argv[2] ?? 15);

/** Milliseconds and standard output of one process. */
function run(...args: string[]) {
  const started = performance.now();
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { ms: performance.now() - started, stdout, stderr };
}

const search = [LHS, 'index', 'search', 'commits', 'git send email', '--json', '--data-dir', data];
const rssScript = `const { argv, stderr } = process;
  process.on('exit', () => stderr.write('RSS ' + process.resourceUsage().maxRSS));
  process.argv = [argv[0], ...${JSON.stringify(search)}];
  await import(${JSON.stringify(LHS)});`;
for (const args of [search, [LHS, '--version'], ['-e', '0']]) run(...args);
const times = {
  version: [] as number[],
  node: [] as number[],
  search: [] as number[],
  engine: [] as number[],
};
for (let i = 0; i < rounds; i++) {
  times.node.push(run('-e', '0').ms);
  times.version.push(run(LHS, '--version').ms);
  const answer = run(...search);
  times.search.push(answer.ms);
  times.engine.push(JSON.parse(answer.stdout).took_ms);
}
const rss = /RSS (\d+)/.exec(run('--input-type=module', '-e', rssScript).stderr)?.[1];
const version = median(times.version);
const node = median(times.node);
console.log(`one-shot commands, ${rounds} rounds in turns (${machine()})`);
console.log(
  `  lhs --version  ${version.toFixed(0)} ms, node -e 0 ${node.toFixed(0)} ms: ` +
    `${(version / node).toFixed(2)} x (target <= 4)`,
);
console.log(
  `  lhs index search  p50 ${median(times.search).toFixed(0)} ms, p90 ` +
    `${percentile(times.search, 0.9).toFixed(0)} ms wall (target 400)`,
);
console.log(
  `  of which engine  p50 ${median(times.engine).toFixed(1)} ms (target 30); RSS ` +
    `${(Number(rss) / 1024).toFixed(0)} MB (target 200)`,
);
