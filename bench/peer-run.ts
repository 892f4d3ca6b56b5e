/**
 * Runs of the peers' bench.py (../shared/peers) with our engines beside them, and the table of
 * ratios that they make. Lucene and tantivy are looked for in LHS_PEERS (default /tmp/peers).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
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
export function ready(folder = WORK): boolean {
  if (existsSync(join(folder, 'docs.jsonl')) && existsSync(join(SHARED, 'bench.py'))) return true;
  console.log(`left out: docs.jsonl (../shared/peers/prepare.py, scale.py) is not in ${folder}`);
  return false;
}

/** Commands of the peers that are built and have an index `folder`/<name><suffix>. */
export function peerCommands(suffix = '', folder = WORK): Record<string, string> {
  const found: Record<string, string> = {};
  const built = (program: string, name: string) => [
    join(WORK, program),
    join(folder, `${name}${suffix}`),
  ];
  const lucene = built('src/lucene/run.sh', 'lucene');
  const tantivy = built('target/release/tantivy-peer', 'tantivy');
  // bench.py reverses the order of the engines with each query, so the first and the last one run
  // twice in a row, with warm caches. Ours is last, so the faster peer is first.
  if (tantivy.every((p) => existsSync(p))) {
    found.tantivy = `${tantivy[0]} serve --index ${tantivy[1]}`;
  } else console.log(`tantivy is not built, or ${tantivy[1]} is not there: left out`);
  if (lucene.every((p) => existsSync(p))) found.lucene = `${lucene[0]} serve --index ${lucene[1]}`;
  else console.log(`Lucene is not built, or ${lucene[1]} is not there: left out`);
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
export function run(commands: Record<string, string>, modes: string, folder = WORK): BenchRun {
  const out = join(tmpdir(), `lhs-bench-peers-${process.pid}.json`);
  const named = Object.entries(commands).flatMap(([name, c]) => ['--engine', `${name}=${c}`]);
  const flags = ['--warm', option('warm', '3'), '--repeat', option('repeat', '5')];
  flags.push('--premix', option('premix', '2'));
  const args = [
    join(SHARED, 'bench.py'),
    '--queries',
    join(folder, 'queries.jsonl'),
    '--modes',
    option('modes', modes),
    '--out',
    out,
  ];
  const env = { JAVA_HOME: '/usr/lib/jvm/temurin-25-jdk-amd64', ...process.env };
  const { status } = spawnSync('python3', [...args, ...flags, ...named], { stdio: 'inherit', env });
  if (status !== 0) throw new Error(`bench.py ended with ${status}`);
  const result: BenchRun = JSON.parse(readFileSync(out, 'utf8'));
  rmSync(out);
  return result;
}

const geometricMean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, r) => sum + Math.log(r), 0) / ratios.length);

const PEERS = ['lucene', 'tantivy'];

/**
 * One row a mode: ours, then for every other engine its time over ours. With `goals` by mode, how
 * far we are ahead of the better peer, and whether that meets the goal, the worst decile 1 and the
 * ratio of p99 1.
 */
export function table({ results }: BenchRun, goals?: Readonly<Record<string, number>>): string {
  const others = Object.keys(results[0].engines).filter((name) => name !== 'lhs');
  const head = ['mode', 'lhs mean / p50 / p99 µs', ...others.map((o) => `${o} / lhs (p10; p99)`)];
  if (goals !== undefined) head.push('over the better peer', 'goal', 'mean', 'p10', 'p99');
  const rows = results.map(({ mode, engines }) => {
    const { lhs } = engines;
    const ours = [lhs.mean_us, lhs.p50_us, lhs.p99_us].map((v) => v.toFixed(0)).join(' / ');
    const cells = others.map((name) => (name in engines ? text(ratio(engines[name], lhs)) : ''));
    const peers = PEERS.filter((name) => name in engines).map((name) => ratio(engines[name], lhs));
    return [mode, ours, ...cells, ...(goals === undefined ? [] : judged(peers, goals[mode]))];
  });
  return [head, head.map(() => '---'), ...rows].map((r) => `| ${r.join(' | ')} |`).join('\n');
}

/** Time of another engine over ours: geometric mean over the queries, worst decile, p99. */
interface Ratio {
  readonly mean: number;
  readonly worst: number;
  readonly tail: number;
}

function ratio(other: EngineTimes, lhs: EngineTimes): Ratio {
  const ratios = other.per_query_us.map((us, i) => us / lhs.per_query_us[i]);
  const worst = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 10)];
  return { mean: geometricMean(ratios), worst, tail: other.p99_us / lhs.p99_us };
}

const text = ({ mean, worst, tail }: Ratio): string =>
  `${mean.toFixed(2)} (${worst.toFixed(2)}; ${tail.toFixed(2)})`;

/** The least of each ratio, the goal, and for each ratio whether it is met. */
function judged(peers: readonly Ratio[], goal: number | undefined): readonly string[] {
  if (peers.length === 0 || goal === undefined) return ['', '', '', '', ''];
  const mean = Math.min(...peers.map((peer) => peer.mean));
  const worst = Math.min(...peers.map((peer) => peer.worst));
  const tail = Math.min(...peers.map((peer) => peer.tail));
  const met = [mean >= goal, worst >= 1, tail >= 1].map((is) => (is ? 'met' : 'not met'));
  return [text({ mean, worst, tail }), `${goal}`, ...met];
}

/** What the figures were measured on, and how the table is read. */
export function machine(): string {
  const load = loadavg()[0].toFixed(1);
  return `${cpus()[0]?.model}, ${availableParallelism()} cores, load ${load}
other engine / lhs: geometric mean of per-query ratios (worst decile; ratio of p99)`;
}
