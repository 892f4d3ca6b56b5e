/**
 * One million vectors (384 dimensions, seeded, 200 around each centre) in one segment with
 * a graph: time and memory of building it, bytes per vector that a search touches, and queries per
 * second at recall@10 of 0.98 beside hnswlib-node and LanceDB's IVF_PQ. Each side is a process of
 * its own, so that peak memory is its own. Vectors are made portion by portion.
 *
 *   node bench/million-vectors.ts [vectors] [lhs|hnswlib|lancedb]
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixVectors } from '../packages/engine/src/base/fixed-vector.ts';
import { writeComponent } from '../packages/engine/src/segment/entry.ts';
import { openFramed } from '../packages/engine/src/storage/frame.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { codeQuery } from '../packages/engine/src/vector/coded-query.ts';
import { GraphBuilder } from '../packages/engine/src/vector/graph-builder.ts';
import { GRAPH_SETTINGS } from '../packages/engine/src/vector/graph-settings.ts';
import { GraphWalk } from '../packages/engine/src/vector/nearest-graph.ts';
import { VectorReader } from '../packages/engine/src/vector/vector-reader.ts';
import { VectorWriter } from '../packages/engine/src/vector/vector-writer.ts';
import { lancedb } from './freshness-peers.ts';
import { machine, median, workFolder } from './shared.ts';

const COUNT = Number(process.argv[2] ?? 1_000_000);
const SIDES = ['lhs', 'hnswlib', 'lancedb'] as const;
const DIMS = 384;
const CENTRES = Math.ceil(COUNT / 200);
const QUERIES = 100;
const PORTION = 10_000;
const K = 10;
const RECALL = 0.98;
const WIDTHS = [10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384];
const SEED = 20_261_123;

type Search = (query: Float32Array) => Promise<readonly number[]> | readonly number[];

/** Portions of the vectors, then the queries: the same for every side. */
function* portions(): Generator<Float32Array> {
  let state = SEED;
  const random = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const noise = (): number => random() + random() + random() - 1.5;
  const centres = Float32Array.from({ length: CENTRES * DIMS }, noise);
  for (let from = 0; from < COUNT + QUERIES; from += PORTION) {
    const until = from < COUNT ? COUNT : COUNT + QUERIES;
    const size = Math.min(PORTION, until - from);
    const values = new Float32Array(size * DIMS);
    for (let i = 0; i < size; i++) {
      const centre = Math.floor(random() * CENTRES) * DIMS;
      let squares = 0;
      for (let c = 0; c < DIMS; c++) {
        values[i * DIMS + c] = centres[centre + c] + 0.8 * noise();
        squares += values[i * DIMS + c] ** 2;
      }
      for (let c = 0; c < DIMS; c++) values[i * DIMS + c] /= Math.sqrt(squares);
    }
    yield values;
    if (from < COUNT && from + PORTION >= COUNT) from = COUNT - PORTION;
  }
}

/** Takes all vectors, then gives back the queries. */
async function takeAll(
  take: (values: Float32Array, first: number) => unknown,
): Promise<readonly Float32Array[]> {
  let first = 0;
  for (const values of portions()) {
    if (first === COUNT) {
      return Array.from({ length: QUERIES }, (_, i) => values.slice(i * DIMS, (i + 1) * DIMS));
    }
    await take(values, first);
    first += values.length / DIMS;
  }
  throw new Error('no queries');
}

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);
const peak = (): string => `peak RSS ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`;

/** Prints the first width that finds enough, and its queries per second. */
async function sweep(
  queries: readonly Float32Array[],
  truth: readonly ReadonlySet<number>[],
  search: (width: number) => Search,
): Promise<void> {
  for (const width of WIDTHS) {
    const run = search(width);
    const times: number[] = [];
    let hits = 0;
    for (let round = 0; round < 3; round++) {
      for (const [at, query] of queries.entries()) {
        const start = performance.now();
        const found = await run(query);
        if (round > 0) times.push(performance.now() - start);
        else hits += found.filter((id) => truth[at].has(id)).length;
      }
    }
    const recall = hits / K / queries.length;
    if (recall < RECALL && width !== WIDTHS[WIDTHS.length - 1]) continue;
    const rate = (1000 / median(times)).toFixed(0);
    console.log(`  recall@${K} ${recall.toFixed(4)} at width ${width}: ${rate} queries/s`);
    return;
  }
}

/** The true nearest by 32-bit floats. */
async function truthOf(queries: readonly Float32Array[]): Promise<readonly ReadonlySet<number>[]> {
  const best = queries.map(() => [] as { id: number; dot: number }[]);
  await takeAll((values, first) => {
    for (let i = 0; i < values.length / DIMS; i++) {
      for (const [at, query] of queries.entries()) {
        let dot = 0;
        for (let c = 0; c < DIMS; c++) dot += query[c] * values[i * DIMS + c];
        const list = best[at];
        if (list.length === K && dot <= list[K - 1].dot) continue;
        list.push({ id: first + i, dot });
        list.sort((a, b) => b.dot - a.dot);
        list.length = Math.min(K, list.length);
      }
    }
  });
  return best.map((list) => new Set(list.map(({ id }) => id)));
}

async function lhs(folder: string): Promise<void> {
  const started = performance.now();
  const writer = new VectorWriter({ dims: DIMS, similarity: 'cosine', index: 'flat' });
  const queries = await takeAll((values) => {
    const count = values.length / DIMS;
    const starts = Int32Array.from({ length: count + 1 }, (_, i) => i);
    writer.add(count, { kind: 'vector', starts, dims: DIMS, ...fixVectors(values, DIMS) });
  });
  const directory = openLocalDirectory(folder);
  const component = writeComponent(directory, 's', { kind: 'vector', field: 1 }, writer.finish());
  const { payload, path } = openFramed(directory, component.file, 'vector', component);
  const reader = new VectorReader(payload, path);
  console.log(`  rounded and written in ${seconds(started)} s, ${peak()}`);
  const building = performance.now();
  const builder = new GraphBuilder(reader, GRAPH_SETTINGS);
  for (let slot = 0; slot < COUNT; slot++) builder.add(slot);
  const graph = builder.finish();
  console.log(`  graph in ${seconds(building)} s, ${peak()}`);
  const links = graph.near.byteLength + graph.upper.byteLength + graph.far.byteLength;
  const touched = links / COUNT + reader.headRow + 20 + 4;
  console.log(`  a search touches ${touched.toFixed(0)} bytes per vector (target <= 350)`);
  const walk = new GraphWalk(reader, graph);
  await sweep(queries, await truthOf(queries), (width) => (query) => {
    return [...(walk.nearest(codeQuery(query), K, null, width)?.docs.subarray(0, K) ?? [])];
  });
}

/** Of hnswlib-node what is used here. */
interface Hnsw {
  initIndex(most: number, links: number, ef: number, seed: number): void;
  addPoint(vector: readonly number[], label: number): void;
  setEf(ef: number): void;
  searchKnn(vector: readonly number[], k: number): { readonly neighbors: readonly number[] };
}

async function hnswlib(): Promise<void> {
  const { HierarchicalNSW } = createRequire(import.meta.url)('hnswlib-node') as {
    HierarchicalNSW: new (space: 'ip', dims: number) => Hnsw;
  };
  const started = performance.now();
  const index = new HierarchicalNSW('ip', DIMS);
  index.initIndex(COUNT, GRAPH_SETTINGS.links, GRAPH_SETTINGS.ef, 100);
  const queries = await takeAll((values, first) => {
    for (let i = 0; i < values.length / DIMS; i++) {
      index.addPoint([...values.subarray(i * DIMS, (i + 1) * DIMS)], first + i);
    }
  });
  console.log(`  graph in ${seconds(started)} s, ${peak()}`);
  await sweep(queries, await truthOf(queries), (width) => {
    index.setEf(width);
    return (query) => index.searchKnn([...query], K).neighbors;
  });
}

/** Of LanceDB's API what is used here. */
interface VectorTable {
  createIndex(column: string, options: { config: unknown }): Promise<void>;
  search(query: readonly number[]): {
    distanceType(type: 'cosine'): {
      nprobes(count: number): {
        refineFactor(factor: number): {
          limit(k: number): {
            select(columns: string[]): { toArray(): Promise<readonly { id: number | bigint }[]> };
          };
        };
      };
    };
  };
}

async function lance(folder: string): Promise<void> {
  const library = lancedb();
  if (library === null) return;
  const started = performance.now();
  const db = await library.connect(join(folder, 'lance'), { readConsistencyInterval: 60 });
  let table: Awaited<ReturnType<typeof db.createTable>> | undefined;
  const queries = await takeAll(async (values, first) => {
    const rows = Array.from({ length: values.length / DIMS }, (_, i) => ({
      id: first + i,
      vector: [...values.subarray(i * DIMS, (i + 1) * DIMS)],
    }));
    if (table === undefined) table = await db.createTable('v', rows);
    else await table.add(rows);
  });
  const plain = table as unknown as VectorTable;
  const { Index } = library as unknown as { Index: { ivfPq(options: object): unknown } };
  await plain.createIndex('vector', { config: Index.ivfPq({ distanceType: 'cosine' }) });
  console.log(`  written and indexed in ${seconds(started)} s, ${peak()}`);
  await sweep(queries, await truthOf(queries), (width) => async (query) => {
    const found = plain
      .search([...query])
      .distanceType('cosine')
      .nprobes(width)
      .refineFactor(10);
    const rows = await found.limit(K).select(['id', '_distance']).toArray();
    return rows.map(({ id }) => Number(id));
  });
}

const side = process.argv[3];
if (side === undefined) {
  console.log(`${COUNT} x ${DIMS}, ${CENTRES} centres, one process per side (${machine()})`);
  for (const name of SIDES) {
    console.log(name);
    const program = [fileURLToPath(import.meta.url), String(COUNT), name];
    execFileSync(process.execPath, program, { stdio: 'inherit' });
  }
} else {
  const folder = workFolder();
  try {
    await { lhs, hnswlib, lancedb: lance }[side as (typeof SIDES)[number]](folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
