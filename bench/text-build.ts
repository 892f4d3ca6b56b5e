/**
 * Building the text of 446,015 documents beside tantivy and Lucene: the same texts and tokens, with
 * frequencies, positions and lengths, one thread, from documents in memory to files forced to the
 * disk; then tantivy with two threads. The peers have the same other fields in every document, so
 * that these cost them little. Each build is a process of its own, in turns; medians, and medians
 * of the ratios of each round. Needs docs.jsonl and the peers of ../shared/peers in LHS_PEERS
 * (default /tmp/peers); says what is missing.
 *
 *   node bench/text-build.ts [--rounds=3] [--docs=FILE]
 *
 * On a loaded machine trust processor time: of tantivy it has the thread that hands documents over.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { HERE, option, ready, WORK } from './peer-run.ts';
import { machine, median } from './shared.ts';

/** What one build took; bytes of the index. */
interface Built {
  readonly seconds: number;
  readonly cpu: number;
  readonly bytes: number;
}

if (!ready()) process.exit(0);
const folder = mkdtempSync(join(WORK, 'text-build-'));
const docs = join(folder, 'docs.jsonl');
await pipeline(onlyTexts(option('docs', join(WORK, 'docs.jsonl'))), createWriteStream(docs));

/** The documents with their texts, and the same value in each other field. */
async function* onlyTexts(path: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const { id, text } = JSON.parse(line);
    const doc = { id, text, repo: 'r', author: 'a', authored_at: 0, words: 0 };
    yield `${JSON.stringify(doc)}\n`;
  }
}

function run(command: string, args: readonly string[]): Record<string, number> {
  const env = { JAVA_HOME: '/usr/lib/jvm/temurin-25-jdk-amd64', ...process.env };
  const stdout = execFileSync(command, args, { env, encoding: 'utf8' });
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}

function ours(): Built {
  const args = [join(HERE, 'text-component.ts'), docs, join(folder, 'lhs')];
  const { milliseconds, cpu, bytes } = run(process.execPath, args);
  return { seconds: milliseconds / 1e3, cpu: cpu / 1e3, bytes };
}

const peer = (program: string, threads: number) => (): Built => {
  const out = join(folder, 'peer');
  const args = ['index', '--docs', docs, '--out', out, '--threads', `${threads}`];
  const { seconds, cpu_seconds, bytes } = run(program, args);
  rmSync(out, { recursive: true });
  return { seconds, cpu: cpu_seconds, bytes };
};

const tantivy = join(WORK, 'target/release/tantivy-peer');
const lucene = join(WORK, 'src/lucene/run.sh');
const engines: Readonly<Record<string, () => Built>> = {
  lhs: ours,
  ...(existsSync(tantivy) && { tantivy: peer(tantivy, 1), 'tantivy, 2': peer(tantivy, 2) }),
  ...(existsSync(lucene) && { lucene: peer(lucene, 1) }),
};
const built: Record<string, Built[]> = {};
try {
  for (let round = 0; round < Number(option('rounds', '3')); round++) {
    for (const [name, build] of Object.entries(engines)) (built[name] ??= []).push(build());
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${machine()}\n`);
console.log('| engine | seconds | processor s | MB | seconds / lhs | processor / lhs |');
console.log('|---|---|---|---|---|---|');
for (const [name, all] of Object.entries(built)) {
  const middle = (what: keyof Built) => median(all.map((one) => one[what]));
  const ratio = (what: keyof Built) =>
    median(all.map((one, round) => one[what] / built.lhs[round][what])).toFixed(2);
  const times = [middle('seconds'), middle('cpu')].map((value) => value.toFixed(2));
  const cells = [name, ...times, (middle('bytes') / 1e6).toFixed(1), ratio('seconds')];
  console.log(`| ${[...cells, ratio('cpu')].join(' | ')} |`);
}
