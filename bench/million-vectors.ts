/**
 * One million vectors (384 dimensions, seeded, 200 around each center) in one segment with a graph:
 * time and memory of building it, memory per vector of a search, and queries per second at
 * recall@10 of 0.98, beside hnswlib-node and LanceDB's IVF_PQ. Vectors, exact results and built
 * indexes stay in the work folder (LHS_BENCH_DIR), so a quiet machine can run the searches alone.
 * Each side is a process of its own, so that peak memory is its own.
 *
 *   node bench/million-vectors.ts [vectors] [build|search] [lhs|hnswlib|lancedb]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DIMS,
  type Measured,
  makeVectors,
  portions,
  type Search,
  SIDES,
  type Side,
  type VectorSet,
} from './million-sides.ts';
import { machine, median, WORK } from './shared.ts';

const COUNT = Number(process.argv[2] ?? 1_000_000);
const FOLDER = join(WORK, `vectors-${COUNT}`);
const K = 10;
const RECALL = 0.98;
const WIDTHS = [10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384];
const ROUNDS = 3;

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
const peak = (): number => process.resourceUsage().maxRSS * 1024;
const spent = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};

/** The vectors, the queries and the exact results, made once. */
function prepare(): void {
  if (existsSync(join(FOLDER, 'truth.json'))) return;
  mkdirSync(FOLDER, { recursive: true });
  const set = makeVectors(FOLDER, COUNT);
  writeFileSync(join(FOLDER, 'truth.json'), JSON.stringify(truthOf(set)));
}

/** The k nearest of each query by 32-bit floats. */
function truthOf(set: VectorSet): readonly (readonly number[])[] {
  const best = set.queries.map(() => [] as { id: number; dot: number }[]);
  for (const { values, first } of portions(set)) {
    for (let i = 0; i < values.length / DIMS; i++) {
      for (const [at, query] of set.queries.entries()) {
        let dot = 0;
        for (let c = 0; c < DIMS; c++) dot += query[c] * values[i * DIMS + c];
        const list = best[at];
        if (list.length === K && dot <= list[K - 1].dot) continue;
        list.push({ id: first + i, dot });
        list.sort((a, b) => b.dot - a.dot);
        list.length = Math.min(K, list.length);
      }
    }
  }
  return best.map((list) => list.map(({ id }) => id));
}

/** Builds a side's index and writes down what it took. */
async function build(side: Side, set: VectorSet): Promise<void> {
  const folder = join(FOLDER, side.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const [started, before] = [performance.now(), process.cpuUsage()];
  await side.build(folder, set);
  const took: Measured = {
    seconds: (performance.now() - started) / 1000,
    processor: spent(before),
    peak: peak(),
    machine: machine(),
  };
  writeFileSync(join(folder, 'built.json'), JSON.stringify(took));
}

/** Searches a side's index: the first width that finds enough, and its queries per second. */
async function search(side: Side, set: VectorSet): Promise<void> {
  const truth = JSON.parse(readFileSync(join(FOLDER, 'truth.json'), 'utf8')) as number[][];
  const folder = join(FOLDER, side.name);
  const built = JSON.parse(readFileSync(join(folder, 'built.json'), 'utf8')) as Measured;
  const [seconds, processor] = [built.seconds.toFixed(0), built.processor.toFixed(0)];
  const took = `${seconds} s, ${processor} s of processor time`;
  console.log(`  built in ${took}, peak RSS ${megabytes(built.peak)} (${built.machine})`);
  const { searcher, memory } = await side.open(folder, set);
  console.log(`  memory per vector: ${memory}`);
  for (const width of WIDTHS) {
    const figures = await sweep(searcher(width), set.queries, truth);
    if (figures.recall < RECALL && width !== WIDTHS[WIDTHS.length - 1]) continue;
    const { recall, p50, processor } = figures;
    const rate = (1000 / p50).toFixed(0);
    console.log(
      `  recall@${K} ${recall.toFixed(4)} at width ${width}: ${rate} queries/s, ` +
        `p50 ${p50.toFixed(3)} ms, ${processor.toFixed(3)} ms of processor time, ` +
        `RSS of the process ${megabytes(process.memoryUsage.rss())}`,
    );
    return;
  }
}

/** Recall of a width, and the time of a query once it is warm. */
async function sweep(
  run: Search,
  queries: readonly Float32Array[],
  truth: readonly (readonly number[])[],
) {
  let hits = 0;
  for (const [at, query] of queries.entries()) {
    const found = await run(query);
    hits += found.filter((id) => truth[at].includes(id)).length;
  }
  const recall = hits / K / queries.length;
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of queries) {
      const start = performance.now();
      await run(query);
      times.push(performance.now() - start);
    }
  }
  return { recall, p50: median(times), processor: (1000 * spent(before)) / times.length };
}

const [, , , stage, name] = process.argv;
if (name === undefined) {
  prepare();
  console.log(`${COUNT} x ${DIMS}, one process per side (${machine()})`);
  for (const side of SIDES) {
    console.log(side.name);
    for (const step of ['build', 'search']) {
      const done = step === 'build' && existsSync(join(FOLDER, side.name, 'built.json'));
      if (done || (stage !== undefined && stage !== step)) continue;
      const program = [fileURLToPath(import.meta.url), String(COUNT), step, side.name];
      execFileSync(process.execPath, program, { stdio: 'inherit' });
    }
  }
} else {
  prepare();
  const side = SIDES.find((one) => one.name === name) as Side;
  await (stage === 'build' ? build : search)(side, makeVectors(FOLDER, COUNT));
}
