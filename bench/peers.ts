/**
 * Our scoring beside Lucene, tantivy and our own variants, query by query in one run of the peers'
 * bench.py: prints a table of ratios (above 1: we are faster). Needs ../shared/peers, docs.jsonl
 * and queries.jsonl in LHS_PEERS (default /tmp/peers), and the peers' indexes there; says what is
 * missing.
 *
 *   node bench/peers.ts [--warm=3] [--repeat=5] [--modes=or,and,…] [--skip-variants]
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HERE, machine, peerCommands, ready, run, table, WORK } from './peer-run.ts';

const SEGMENTS = 8;
const DOCS = 446_015;
const MODES = 'term,or,and,phrase,count_or,count_and,count_phrase,top10_count_or,top10_count_and';

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
  const found = peerCommands();
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

if (ready()) {
  const answer = run(engines(), MODES);
  console.log(`\n${machine()}\n\n${table(answer)}`);
}
