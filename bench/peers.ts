/**
 * Our scoring beside Lucene, tantivy and our own variants, query by query in runs of the peers'
 * bench.py, with 446,015 documents (small) and 5,352,180 (big): prints a table of ratios for each
 * size (above 1: we are faster), with the goals and whether each is met. Needs ../shared/peers;
 * docs.jsonl, queries.jsonl and the peers' indexes in LHS_PEERS (default /tmp/peers), for the big
 * size in its folder x12; says what is missing. Builds our components, in `--ours=FOLDER` if given.
 *
 *   node bench/peers.ts [--sizes=small,big] [--warm=3] [--repeat=5] [--premix=2]
 *     [--modes=or,and,…] [--skip-variants] [--ours=FOLDER]
 *
 * Within 100 s for both sizes: --warm=1 --repeat=2 --premix=1 --skip-variants
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HERE, machine, option, peerCommands, ready, run, table, WORK } from './peer-run.ts';

const SEGMENTS = 8;
/** Geometric mean over the better peer that each mode is to reach, at both sizes. */
const GOALS: Readonly<Record<string, number>> = {
  term: 1.5,
  or: 3,
  and: 2.5,
  phrase: 3,
  count_or: 4,
  count_and: 3,
  count_phrase: 2.5,
  top10_count_or: 5,
  top10_count_and: 3,
};

/** A corpus: where its documents and the peers' indexes are, and where our components are. */
interface Size {
  readonly docs: number;
  readonly folder: string;
  readonly ours: string;
}

function sizeOf(name: string): Size {
  const ours = option('ours', WORK);
  if (name === 'small') return { docs: 446_015, folder: WORK, ours };
  if (name === 'big') {
    return { docs: 5_352_180, folder: join(WORK, 'x12'), ours: join(ours, 'x12') };
  }
  throw new Error(`no size "${name}": use small or big`);
}

/** Builds a component unless it is there. */
function component({ folder, ours }: Size, name: string, first: number, docs: number): string {
  const path = join(ours, name);
  if (!existsSync(path)) {
    mkdirSync(ours, { recursive: true });
    const script = join(HERE, 'text-component.ts');
    const source = join(folder, 'docs.jsonl');
    const line = execFileSync(process.execPath, [script, source, path, `${first}`, `${docs}`]);
    console.log(`${name}: ${line.toString().trim()}`);
  }
  return path;
}

/** Commands of the engines that are here. */
function engines(size: Size): Record<string, string> {
  const found = peerCommands('', size.folder);
  const serve = `${process.execPath} ${join(HERE, 'serve.ts')}`;
  found.lhs = `${serve} ${component(size, 'lhs.idx', 0, size.docs)}`;
  if (process.argv.includes('--skip-variants')) return found;
  const docs = Math.ceil(size.docs / SEGMENTS);
  const parts = Array.from({ length: SEGMENTS }, (_, i) =>
    component(size, `lhs-${i}.idx`, i * docs, docs),
  );
  found.lhs_8_segments = `${serve} ${parts.join(' ')}`;
  found.lhs_1_deleted = `${found.lhs} --deleted=1`;
  return found;
}

for (const name of option('sizes', 'small,big').split(',')) {
  const size = sizeOf(name);
  if (!ready(size.folder)) continue;
  const answer = run(engines(size), Object.keys(GOALS).join(','), size.folder);
  console.log(`\n${size.docs} documents\n${machine()}\n\n${table(answer, GOALS)}\n`);
}
