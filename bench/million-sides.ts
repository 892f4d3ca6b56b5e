/** The vectors of bench/million-vectors.ts, and each side: how it builds its index and searches. */
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fixVectors } from '../packages/engine/src/base/fixed-vector.ts';
import { writeComponent } from '../packages/engine/src/segment/entry.ts';
import { openFramed } from '../packages/engine/src/storage/frame.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { codeQuery } from '../packages/engine/src/vector/coded-query.ts';
import { openGraph, packGraph } from '../packages/engine/src/vector/graph/graph-format.ts';
import { GRAPH_SETTINGS } from '../packages/engine/src/vector/graph/graph-settings.ts';
import { GraphWalk } from '../packages/engine/src/vector/graph/nearest-graph.ts';
import { VectorReader } from '../packages/engine/src/vector/vector-reader.ts';
import { VectorWriter } from '../packages/engine/src/vector/vector-writer.ts';
import { buildGraph } from '../test/support/build-graph.ts';
import { lancedb } from './freshness-peers.ts';
import { type HnswIndex, hnswlib } from './npm-peer.ts';

export const DIMS = 384;
const A_CENTER = 200;
const NOISE = 0.8;
const QUERIES = 100;
const PORTION = 10_000;
const K = 10;
const SEED = 20_261_123;

export type Search = (query: Float32Array) => Promise<readonly number[]> | readonly number[];

/** Time and memory of a build. */
export interface Measured {
  readonly seconds: number;
  readonly processor: number;
  readonly peak: number;
  readonly machine: string;
}

/** A file of vectors, and the queries. */
export interface VectorSet {
  readonly path: string;
  readonly count: number;
  readonly queries: readonly Float32Array[];
}

/** An engine that is measured. */
export interface Side {
  readonly name: string;
  build(folder: string, set: VectorSet): Promise<void> | void;
  open(
    folder: string,
    set: VectorSet,
  ): Promise<{ readonly memory: string; readonly searcher: (width: number) => Search }>;
}

/** Vectors of a portion, normalized, around centers that are the same for every portion. */
function* madePortions(count: number): Generator<Float32Array> {
  let state = SEED;
  const random = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const noise = (): number => random() + random() + random() - 1.5;
  const centers = Float32Array.from({ length: Math.ceil(count / A_CENTER) * DIMS }, noise);
  for (let from = 0; from < count; from += PORTION) {
    const values = new Float32Array(Math.min(PORTION, count - from) * DIMS);
    for (let at = 0; at < values.length; at += DIMS) {
      const center = Math.floor((random() * centers.length) / DIMS) * DIMS;
      let squares = 0;
      for (let c = 0; c < DIMS; c++) {
        values[at + c] = centers[center + c] + NOISE * noise();
        squares += values[at + c] ** 2;
      }
      for (let c = 0; c < DIMS; c++) values[at + c] /= Math.sqrt(squares);
    }
    yield values;
  }
}

/** The vectors of a folder: `count` of them and the queries behind them, written at first use. */
export function makeVectors(folder: string, count: number): VectorSet {
  const path = join(folder, 'values.f32');
  const bytes = (count + QUERIES) * DIMS * 4;
  if (!existsSync(path) || statSync(path).size !== bytes) {
    const file = openSync(path, 'w');
    for (const values of madePortions(count + QUERIES)) writeSync(file, values);
    closeSync(file);
  }
  const last = readVectors(path, count, QUERIES);
  const queries = Array.from({ length: QUERIES }, (_, i) => last.slice(i * DIMS, (i + 1) * DIMS));
  return { path, count, queries };
}

function readVectors(path: string, first: number, count: number): Float32Array {
  const values = new Float32Array(count * DIMS);
  const file = openSync(path, 'r');
  readSync(file, values, 0, values.byteLength, first * DIMS * 4);
  closeSync(file);
  return values;
}

/** The vectors of a set without its queries, portion by portion. */
export function* portions({ path, count }: VectorSet) {
  for (let first = 0; first < count; first += PORTION) {
    yield { first, values: readVectors(path, first, Math.min(PORTION, count - first)) };
  }
}

const rowsOf = (values: Float32Array): readonly (readonly number[])[] =>
  Array.from({ length: values.length / DIMS }, (_, i) => [
    ...values.subarray(i * DIMS, (i + 1) * DIMS),
  ]);

/** Our segment: the vectors' file and the graph's. */
const lhs: Side = {
  name: 'lhs',
  build(folder, set) {
    const writer = new VectorWriter({ dims: DIMS, similarity: 'cosine', index: 'flat' });
    for (const { values } of portions(set)) {
      const count = values.length / DIMS;
      const starts = Int32Array.from({ length: count + 1 }, (_, i) => i);
      writer.add(count, { kind: 'vector', starts, dims: DIMS, ...fixVectors(values, DIMS) });
    }
    const directory = openLocalDirectory(folder);
    const vectors = writeComponent(directory, 's', { kind: 'vector', field: 1 }, writer.finish());
    const { payload, path } = openFramed(directory, vectors.file, 'vector', vectors);
    const graph = packGraph(buildGraph(new VectorReader(payload, path)));
    writeComponent(directory, 's', { kind: 'graph', field: 1 }, graph);
  },
  async open(folder, set) {
    const directory = openLocalDirectory(folder);
    const linked = openFramed(directory, 's.f1.graph', 'graph');
    const graph = openGraph(linked.payload, linked.path);
    const { payload, path } = openFramed(directory, 's.f1.vector', 'vector');
    const reader = new VectorReader(payload, path, () => graph);
    const walk = new GraphWalk(reader, graph);
    const links = graph.near.byteLength + graph.upper.byteLength + graph.far.byteLength;
    const touched = links / set.count + reader.headRow + 20 + 4;
    const files = fileBytes([join(folder, 's.f1.graph'), join(folder, 's.f1.vector')], set.count);
    return {
      memory: `a search touches ${touched.toFixed(0)} bytes (target <= 350); ${files}`,
      searcher: (width) => (query) => {
        return [...(walk.nearest(codeQuery(query), K, null, width)?.docs.subarray(0, K) ?? [])];
      },
    };
  },
};

const fileBytes = (paths: readonly string[], count: number): string => {
  const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  return `files of ${(bytes / count).toFixed(0)} bytes`;
};

function newHnsw(): HnswIndex {
  const library = needed(hnswlib(), 'hnswlib-node');
  return new library.HierarchicalNSW('ip', DIMS);
}

/** hnswlib with the links and candidates of our graph, over 32-bit floats. */
const hnsw: Side = {
  name: 'hnswlib',
  build(folder, set) {
    const index = newHnsw();
    index.initIndex(set.count, GRAPH_SETTINGS.links, GRAPH_SETTINGS.ef, 100);
    for (const { values, first } of portions(set)) {
      for (const [i, row] of rowsOf(values).entries()) index.addPoint(row, first + i);
    }
    index.writeIndexSync(join(folder, 'index'));
  },
  async open(folder, set) {
    const index = newHnsw();
    index.readIndexSync(join(folder, 'index'));
    return {
      memory: `${fileBytes([join(folder, 'index')], set.count)}, all of it in memory`,
      searcher(width) {
        index.setEf(width);
        return (query) => index.searchKnn([...query], K).neighbors;
      },
    };
  },
};

/** Of LanceDB's API what is used here. */
interface VectorTable {
  createIndex(column: string, options: { config: unknown }): Promise<void>;
  search(query: readonly number[]): VectorQuery;
}
interface VectorQuery {
  distanceType(type: 'cosine'): VectorQuery;
  nprobes(count: number): VectorQuery;
  refineFactor(factor: number): VectorQuery;
  limit(k: number): VectorQuery;
  select(columns: readonly string[]): VectorQuery;
  toArray(): Promise<readonly { readonly id: number | bigint }[]>;
}

function needed<T>(library: T | null, name: string): T {
  if (library === null) throw new Error(`${name} cannot be installed here`);
  return library;
}
const CONNECTION = { readConsistencyInterval: 60 };
/**
 * LanceDB's IVF_PQ with its own number of partitions and sub-vectors. `width` is the number of
 * partitions that are searched, and of times k vectors that are read whole and compared exactly.
 */
const lance: Side = {
  name: 'lancedb',
  async build(folder, set) {
    const library = needed(lancedb(), 'LanceDB');
    const db = await library.connect(folder, CONNECTION);
    let table: Awaited<ReturnType<typeof db.createTable>> | undefined;
    for (const { values, first } of portions(set)) {
      const rows = rowsOf(values).map((vector, i) => ({ id: first + i, vector }));
      if (table === undefined) table = await db.createTable('v', rows);
      else await table.add(rows);
    }
    const { Index } = library as unknown as { Index: { ivfPq(options: object): unknown } };
    const config = Index.ivfPq({ distanceType: 'cosine' });
    await (table as unknown as VectorTable).createIndex('vector', { config });
  },
  async open(folder, set) {
    const db = await needed(lancedb(), 'LanceDB').connect(folder, CONNECTION);
    const table = (await db.openTable('v')) as unknown as VectorTable;
    const index = filesBelow(join(folder, 'v.lance/_indices'));
    const data = filesBelow(join(folder, 'v.lance/data'));
    return {
      memory: `index of ${fileBytes(index, set.count)}, table of ${fileBytes(data, set.count)}`,
      searcher: (width) => async (query) => {
        const found = table.search([...query]).distanceType('cosine');
        const refined = found.nprobes(width).refineFactor(width).limit(K);
        const rows = await refined.select(['id', '_distance']).toArray();
        return rows.map(({ id }) => Number(id));
      },
    };
  },
};

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

export const SIDES: readonly Side[] = [lhs, hnsw, lance];
