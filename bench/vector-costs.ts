/**
 * What the vectors of a segment cost to search: nanoseconds per vector of a scan in sequence, of a
 * scan of few accepted ones, and of a walk over the graph by its candidates. From these come the
 * constants of packages/engine/src/vector/search-cost.ts. Seeded vectors around centers, and the
 * vectors of a file if one is named.
 *
 *   node bench/vector-costs.ts [vectors] [dims] [s.f1.vector]
 */
import { dirname } from 'node:path';
import { fixVectors } from '../packages/engine/src/base/fixed-vector.ts';
import { openFramed } from '../packages/engine/src/storage/frame.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { codeQuery } from '../packages/engine/src/vector/coded-query.ts';
import { GraphWalk } from '../packages/engine/src/vector/graph/nearest-graph.ts';
import { nearestFlat } from '../packages/engine/src/vector/nearest-flat.ts';
import { VectorReader } from '../packages/engine/src/vector/vector-reader.ts';
import { VectorWriter } from '../packages/engine/src/vector/vector-writer.ts';
import { buildGraph } from '../test/support/build-graph.ts';
import { plainArena } from '../test/support/plain-arena.ts';
import { seededNumbers } from '../test/support/random.ts';
import { machine } from './shared.ts';

const [count, dims] = [Number(process.argv[2] ?? 50_000), Number(process.argv[3] ?? 384)];
const random = seededNumbers(20_261_123);
const QUERIES = 100;
const ROUNDS = 3;
const A_CENTER = 200;

const centers = Float32Array.from(
  { length: Math.ceil(count / A_CENTER) * dims },
  () => random() - 0.5,
);

function values(size: number): Float32Array {
  const made = new Float32Array(size * dims);
  for (let at = 0; at < made.length; at += dims) {
    const center = Math.floor((random() * centers.length) / dims) * dims;
    for (let c = 0; c < dims; c++) made[at + c] = centers[center + c] + 0.8 * (random() - 0.5);
  }
  return made;
}

function opened(all: Float32Array): VectorReader {
  const size = all.length / dims;
  const writer = new VectorWriter({ dims, similarity: 'cosine', index: 'hnsw' });
  const starts = Int32Array.from({ length: size + 1 }, (_, i) => i);
  writer.add(size, { kind: 'vector', starts, dims, ...fixVectors(all, dims) });
  const parts = writer.finish();
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const region = plainArena(length + 2 ** 20).allocate(length);
  let at = 0;
  for (const part of parts) {
    const bytes = part as Uint8Array;
    region.bytes.set(bytes, at);
    at += bytes.length;
  }
  return new VectorReader(region, 'costs');
}

/** A part of the vectors of a file, and queries that are not among them. */
function fromFile(path: string): { reader: VectorReader; queries: readonly Float32Array[] } {
  const directory = openLocalDirectory(dirname(path));
  const { payload } = openFramed(directory, path.slice(dirname(path).length + 1), 'vector');
  const stored = new VectorReader(payload, path);
  const step = stored.count / (count + QUERIES);
  const picked = Array.from({ length: count + QUERIES }, (_, i) => Math.floor(i * step));
  const all = new Float32Array(count * dims);
  picked.slice(0, count).forEach((slot, i) => {
    all.set(stored.vector(stored.docAt(slot))!, i * dims);
  });
  const queries = picked.slice(count).map((slot) => stored.vector(stored.docAt(slot))!);
  return { reader: opened(all), queries };
}

const file = process.argv[4];
const { reader, queries } =
  file === undefined
    ? {
        reader: opened(values(count)),
        queries: Array.from({ length: QUERIES }, () => values(1)),
      }
    : fromFile(file);

/** Processor time of a call in microseconds, the least of some rounds over all queries. */
function micros(call: (query: Float32Array) => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (const query of queries) call(query);
    const { user, system } = process.cpuUsage(before);
    if (round > 0) least = Math.min(least, (user + system) / queries.length);
  }
  return least;
}

function accepting(share: number): Int32Array {
  const accept = new Int32Array(Math.ceil(count / 256) * 8);
  for (let doc = 0; doc < count; doc++) if (random() < share) accept[doc >> 5] |= 1 << (doc & 31);
  return accept;
}

console.log(`${count} x ${dims}, head of ${reader.headRow} bytes (${machine()})`);
const dense = micros((query) => nearestFlat(reader, codeQuery(query), 10, null));
console.log(`scan in sequence: ${((1000 * dense) / count).toFixed(1)} ns per vector`);
for (const share of [0.01, 0.1, 0.4]) {
  const accept = accepting(share);
  const time = micros((query) => nearestFlat(reader, codeQuery(query), 10, accept));
  console.log(`scan of ${share}: ${((1000 * time) / count / share).toFixed(1)} ns per vector`);
}
const graph = buildGraph(reader);
const walk = new GraphWalk(reader, graph);
const truth = queries.map((query) => {
  return new Set(nearestFlat(reader, codeQuery(query), 10, null).docs.subarray(0, 10));
});
console.log('candidates   visited per candidate   ns per visited   µs   recall@10');
for (const width of [16, 32, 64, 96, 128, 256, 512, 1024]) {
  let [visited, hits] = [0, 0];
  queries.forEach((query, i) => {
    const found = walk.nearest(codeQuery(query), 10, null, width)?.docs.subarray(0, 10) ?? [];
    for (const doc of found) if (truth[i].has(doc)) hits++;
    visited += walk.visited / queries.length;
  });
  const time = micros((query) => walk.nearest(codeQuery(query), 10, null, width));
  const figures = [visited / width, (1000 * time) / visited, time, hits / queries.length / 10];
  console.log(
    `${String(width).padStart(10)} ${figures.map((n) => n.toFixed(3).padStart(16)).join('')}`,
  );
}
