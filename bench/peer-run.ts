/**
 * Runs of the peers' bench.py (../shared/peers) with our engines beside them, and the table of
 * ratios that they make. Lucene and tantivy are looked for in LHS_PEERS (default /tmp/peers).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where documents, queries and the peers' indexes lie. */
export const WORK = process.env.LHS_PEERS ?? '/tmp/peers';
/** This folder. */
export const HERE = fileURLToPath(new URL('.', import.meta.url));
const SHARED = fileURLToPath(new URL('../../shared/peers/', import.meta.url));

/** The value of `--name=value` on the command line. */
export const option = (name: string, otherwise: string): string =>
  process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise;

/** True when documents and bench.py are there; says what is missing. */
export function ready(): boolean {
  if (existsSync(join(WORK, 'docs.jsonl')) && existsSync(join(SHARED, 'bench.py'))) return true;
  console.log(`left out: docs.jsonl (../shared/peers/prepare.py) is not in ${WORK}`);
  return false;
}

/** Commands of the peers that are built and have an index whose folder ends in `suffix`. */
export function peerCommands(suffix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  const lucene = ['src/lucene/run.sh', `lucene${suffix}`].map((p) => join(WORK, p));
  const tantivy = ['target/release/tantivy-peer', `tantivy${suffix}`].map((p) => join(WORK, p));
  if (lucene.every((p) => existsSync(p))) found.lucene = `${lucene[0]} serve --index ${lucene[1]}`;
  else console.log(`Lucene is not built, or lucene${suffix} is not there: left out`);
  if (tantivy.every((p) => existsSync(p))) {
    found.tantivy = `${tantivy[0]} serve --index ${tantivy[1]}`;
  } else console.log(`tantivy is not built, or tantivy${suffix} is not there: left out`);
  return found;
}

interface EngineTimes {
  readonly mean_us: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly per_query_us: readonly number[];
}
interface BenchRun {
  readonly results: readonly {
    readonly mode: string;
    readonly load: number;
    readonly engines: Readonly<Record<string, EngineTimes>>;
  }[];
}

/** One run of bench.py: engines in turns, query by query. `modes`: unless --modes says others. */
export function run(commands: Record<string, string>, modes: string): BenchRun {
  const out = join(WORK, 'bench-peers.json');
  const named = Object.entries(commands).flatMap(([name, c]) => ['--engine', `${name}=${c}`]);
  const flags = ['--warm', option('warm', '3'), '--repeat', option('repeat', '5')];
  const args = [
    join(SHARED, 'bench.py'),
    '--queries',
    join(WORK, 'queries.jsonl'),
    '--modes',
    option('modes', modes),
    '--out',
    out,
  ];
  const env = { JAVA_HOME: '/usr/lib/jvm/temurin-25-jdk-amd64', ...process.env };
  const { status } = spawnSync('python3', [...args, ...flags, ...named], { stdio: 'inherit', env });
  if (status !== 0) throw new Error(`bench.py ended with ${status}`);
  return JSON.parse(readFileSync(out, 'utf8'));
}

const geometricMean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, r) => sum + Math.log(r), 0) / ratios.length);

/** One row a mode: ours, then for every other engine its time over ours. */
export function table({ results }: BenchRun): string {
  const others = Object.keys(results[0].engines).filter((name) => name !== 'lhs');
  const head = ['mode', 'lhs mean / p50 / p99 µs', ...others.map((o) => `${o} / lhs (p10; p99)`)];
  const rows = results.map(({ mode, engines }) => {
    const { lhs } = engines;
    const ours = [lhs.mean_us, lhs.p50_us, lhs.p99_us].map((v) => v.toFixed(0)).join(' / ');
    const cells = others.map((name) => ratio(engines[name], lhs));
    return [mode, ours, ...cells];
  });
  return [head, head.map(() => '---'), ...rows].map((r) => `| ${r.join(' | ')} |`).join('\n');
}

function ratio(other: EngineTimes | undefined, lhs: EngineTimes): string {
  if (other === undefined) return '';
  const ratios = other.per_query_us.map((us, i) => us / lhs.per_query_us[i]);
  const worst = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 10)];
  const tail = other.p99_us / lhs.p99_us;
  return `${geometricMean(ratios).toFixed(2)} (${worst.toFixed(2)}; ${tail.toFixed(2)})`;
}

/** What the figures were measured on, and how the table is read. */
export function machine(): string {
  const load = loadavg()[0].toFixed(1);
  return `${cpus()[0]?.model}, ${availableParallelism()} cores, load ${load}
other engine / lhs: geometric mean of per-query ratios (worst decile; ratio of p99)`;
}
