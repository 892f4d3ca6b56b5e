/**
 * Makes golden vectors: fixtures/vectors-v<format version>/, the vectors of a field and the graph
 * over them as today's code writes them, and expected.json, what is nearest to some queries,
 * computed from the vectors and not from the files. A test opens them from now on. Run it once for
 * a new format version; golden files are never made again:
 *
 *     node scripts/golden-vectors.ts fixtures/vectors-v2
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixVectors } from '../packages/engine/src/base/fixed-vector.ts';
import { writeComponent } from '../packages/engine/src/segment/entry.ts';
import { openFramed } from '../packages/engine/src/storage/frame.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { packGraph } from '../packages/engine/src/vector/graph/graph-format.ts';
import { VectorReader } from '../packages/engine/src/vector/vector-reader.ts';
import { VectorWriter } from '../packages/engine/src/vector/vector-writer.ts';
import { buildGraph } from '../test/support/build-graph.ts';

const folder = process.argv[2];
if (folder === undefined || existsSync(folder)) {
  throw new Error('expected the name of a folder that does not exist yet');
}

const DOCS = 700;
const DIMS = 20;
const K = 5;

/** Whole numbers from -9 to 9, so that every sum is exact; every seventh document has none. */
const component = (doc: number, c: number): number =>
  ((((doc * 31 + c * 17) * 97) % 1009) % 10) - ((doc * c) % 10);
const documents = Array.from({ length: DOCS }, (_, doc) => doc);
const present = documents.filter((doc) => doc % 7 !== 3);
const values = Float32Array.from(
  present.flatMap((doc) => Array.from({ length: DIMS }, (_, c) => component(doc, c))),
);
const { scales, codes } = fixVectors(values, DIMS);
const starts = new Int32Array(DOCS + 1);
for (const doc of documents) starts[doc + 1] = starts[doc] + (doc % 7 === 3 ? 0 : 1);

mkdirSync(folder, { recursive: true });
const directory = openLocalDirectory(folder);
const writer = new VectorWriter({ dims: DIMS, similarity: 'dot', index: 'hnsw' });
writer.add(DOCS, { kind: 'vector', starts, dims: DIMS, scales, codes });
const component1 = { kind: 'vector', field: 1 } as const;
const vector = writeComponent(directory, 's1', component1, writer.finish());
const { payload, path } = openFramed(directory, vector.file, 'vector', vector);
const graph = packGraph(buildGraph(new VectorReader(payload, path), { links: 4, ef: 40 }));
writeComponent(directory, 's1', { kind: 'graph', field: 1 }, graph);

const queries = [0, 1, 2, 3].map((q) =>
  Array.from({ length: DIMS }, (_, c) => ((q * 7 + c * 3) % 9) - 4),
);
const expected = queries.map((query) => {
  const found = present.map((doc, slot) => {
    let sum = 0;
    for (let c = 0; c < DIMS; c++) sum += query[c] * codes[slot * DIMS + c];
    return { doc, similarity: scales[slot] * sum };
  });
  found.sort((a, b) => b.similarity - a.similarity || a.doc - b.doc);
  return {
    query,
    nearest: found.filter(({ similarity }) => similarity >= found[K - 1].similarity),
  };
});
const told = { docs: DOCS, dims: DIMS, count: present.length, k: K, expected };
writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(told, null, 1)}\n`);
