/**
 * Filters, facets and sorts by a column beside Lucene and tantivy, query by query in one run of the
 * peers' bench.py: prints ratios (above 1: we are faster). With `--shuffled` over the same
 * documents in random order (the time column follows the documents' order otherwise). Needs what
 * bench/peers.ts needs; builds our index, and with --shuffled the peers', when they are not there.
 *
 *   node bench/columns.ts [--shuffled] [--warm=4] [--repeat=7] [--modes=filter,facet,…]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HERE, machine, peerCommands, ready, run, table, WORK } from './peer-run.ts';

const MODES = 'filter,count_filter,facet,range_sort,or_sort';
const SHUFFLED_MODES = 'range_sort,or_sort';
const JAVA = { JAVA_HOME: '/usr/lib/jvm/temurin-25-jdk-amd64', ...process.env };

function build(folder: string, command: string, ...args: string[]): void {
  if (existsSync(join(WORK, folder)) || !existsSync(command)) return;
  execFileSync(command, args, { stdio: 'inherit', env: JAVA });
}

/** The lines of docs.jsonl in an order that is always the same. */
function shuffle(docs: string): void {
  if (existsSync(docs)) return;
  const lines = readFileSync(join(WORK, 'docs.jsonl'), 'utf8').trimEnd().split('\n');
  let state = 7;
  for (let i = lines.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [lines[i], lines[j]] = [lines[j], lines[i]];
  }
  writeFileSync(docs, `${lines.join('\n')}\n`);
}

function prepare(suffix: string): void {
  const docs = join(WORK, `docs${suffix}.jsonl`);
  if (suffix !== '') shuffle(docs);
  const ours = `lhs-columns${suffix}`;
  build(ours, process.execPath, join(HERE, 'columns-index.ts'), docs, join(WORK, ours));
  for (const [name, tool] of [
    ['lucene', 'src/lucene/run.sh'],
    ['tantivy', 'target/release/tantivy-peer'],
  ]) {
    const out = join(WORK, `${name}${suffix}`);
    const args = ['index', '--docs', docs, '--out', out, '--threads', '1', '--merge'];
    build(`${name}${suffix}`, join(WORK, tool), ...args);
  }
}

if (ready()) {
  const suffix = process.argv.includes('--shuffled') ? '-shuffled' : '';
  prepare(suffix);
  const serve = join(HERE, 'serve-columns.ts');
  const lhs = `${process.execPath} ${serve} ${join(WORK, `lhs-columns${suffix}`)}`;
  const answer = run({ ...peerCommands(suffix), lhs }, suffix === '' ? MODES : SHUFFLED_MODES);
  console.log(`\n${machine()}\n\n${table(answer)}`);
}
