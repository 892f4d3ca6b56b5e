/**
 * Our scoring beside Lucene, tantivy and our own variants, query by query in one run of the peers'
 * bench.py: prints a table of ratios (above 1: we are faster). Needs ../shared/peers, docs.jsonl
 * and queries.jsonl in LHS_PEERS (default /tmp/peers), and the peers' indexes there; says what is
 * missing.
 *
 *   node bench/peers.ts [--warm=3] [--repeat=5] [--modes=or,and,…] [--skip-variants]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WORK = process.env.LHS_PEERS ?? '/tmp/peers';
const SHARED = fileURLToPath(new URL('../../shared/peers/', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
const SEGMENTS = 8;
const DOCS = 446_015;
const MODES = 'term,or,and,phrase,count_or,count_and,count_phrase,top10_count_or,top10_count_and';

const option = (name: string, otherwise: string): string =>
  process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise;

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

/** Builds a component unless it is there. */
function component(name: string, first: number, docs: number): string {
  const path = join(WORK, name);
  if (!existsSync(path)) {
    const script = join(HERE, 'text-component.ts');
    const source = join(WORK, 'docs.jsonl');
    const line = execFileSync(process.execPath, [script, source, path, `${first}`, `${docs}`]);
    console.log(`${name}: ${line.toString().trim()}`);
  }
  return path;
}

/** Commands of the engines that are here. */
function engines(): Record<string, string> {
  const found: Record<string, string> = {};
  const lucene = ['src/lucene/run.sh', 'lucene'].map((p) => join(WORK, p));
  const tantivy = ['target/release/tantivy-peer', 'tantivy'].map((p) => join(WORK, p));
  if (lucene.every((p) => existsSync(p))) found.lucene = `${lucene[0]} serve --index ${lucene[1]}`;
  else console.log('Lucene is not built: left out');
  if (tantivy.every((p) => existsSync(p))) {
    found.tantivy = `${tantivy[0]} serve --index ${tantivy[1]}`;
  } else console.log('tantivy is not built: left out');
  const serve = `${process.execPath} ${join(HERE, 'serve.ts')}`;
  found.lhs = `${serve} ${component('lhs.idx', 0, DOCS)}`;
  if (process.argv.includes('--skip-variants')) return found;
  const size = Math.ceil(DOCS / SEGMENTS);
  const parts = Array.from({ length: SEGMENTS }, (_, i) =>
    component(`lhs-${i}.idx`, i * size, size),
  );
  found.lhs_8_segments = `${serve} ${parts.join(' ')}`;
  found.lhs_1_deleted = `${found.lhs} --deleted=1`;
  return found;
}

function run(commands: Record<string, string>): BenchRun {
  const out = join(WORK, 'bench-peers.json');
  const named = Object.entries(commands).flatMap(([name, c]) => ['--engine', `${name}=${c}`]);
  const flags = ['--warm', option('warm', '3'), '--repeat', option('repeat', '5')];
  const args = [
    join(SHARED, 'bench.py'),
    '--queries',
    join(WORK, 'queries.jsonl'),
    '--modes',
    option('modes', MODES),
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
function table({ results }: BenchRun): string {
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

if (!existsSync(join(WORK, 'docs.jsonl')) || !existsSync(join(SHARED, 'bench.py'))) {
  console.log(`left out: docs.jsonl (../shared/peers/prepare.py) is not in ${WORK}`);
} else {
  const commands = engines();
  const answer = run(commands);
  console.log(
    `\n${cpus()[0]?.model}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}`,
  );
  console.log(
    'other engine / lhs: geometric mean of per-query ratios (worst decile; ratio of p99)\n',
  );
  console.log(table(answer));
}
