import { describe, expect, test } from 'vitest';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { seededNumbers } from '../../../../../test/support/random.ts';
import { fixVectors } from '../../base/fixed-vector.ts';
import { codeQuery } from '../coded-query.ts';
import { VectorReader } from '../vector-reader.ts';
import { VectorWriter } from '../vector-writer.ts';
import { GraphBuilder } from './graph-builder.ts';
import { GRAPH_SETTINGS } from './graph-settings.ts';
import { GraphWalk } from './nearest-graph.ts';

/** Vectors of so many dimensions are half in the head. */
const DIMS = 160;
const COUNT = 3000;
const QUERIES = 40;
const CENTRES = 20;

const random = seededNumbers(20261123);

function around(centres: Float32Array, count: number): Float32Array {
  const values = new Float32Array(count * DIMS);
  for (let i = 0; i < count; i++) {
    const centre = Math.floor(random() * CENTRES) * DIMS;
    for (let c = 0; c < DIMS; c++) values[i * DIMS + c] = centres[centre + c] + random() - 0.5;
  }
  return values;
}

function open(values: Float32Array): VectorReader {
  const count = values.length / DIMS;
  const writer = new VectorWriter({ dims: DIMS, similarity: 'l2', index: 'hnsw' });
  const starts = Int32Array.from({ length: count + 1 }, (_, i) => i);
  writer.add(count, { kind: 'vector', starts, dims: DIMS, ...fixVectors(values, DIMS) });
  const bytes = Buffer.concat(writer.finish());
  const region = plainArena(8 * 2 ** 20).allocate(bytes.length);
  region.bytes.set(bytes);
  return new VectorReader(region, 'test');
}

describe('a walk by the heads of vectors', () => {
  test('finds nearly all of the nearest, with their exact similarities', () => {
    const centres = Float32Array.from({ length: CENTRES * DIMS }, () => random() - 0.5);
    const reader = open(around(centres, COUNT));
    expect(reader.tailRow).toBeGreaterThan(0);
    const builder = new GraphBuilder(reader, GRAPH_SETTINGS);
    for (let slot = 0; slot < COUNT; slot++) builder.add(slot);
    const walk = new GraphWalk(reader, builder.finish());
    const queries = around(centres, QUERIES);
    let found = 0;
    for (let i = 0; i < QUERIES; i++) {
      const query = queries.subarray(i * DIMS, (i + 1) * DIMS);
      const truth = new Set(reader.nearest(query, 10, { accept: null, exact: true }).docs);
      const nearest = walk.nearest(codeQuery(query), 10, null, 64);
      expect(nearest?.docs.length).toBe(10);
      nearest?.docs.forEach((doc, place) => {
        if (truth.has(doc)) found++;
        expect(nearest.similarities[place]).toBe(reader.similarity(query, doc));
      });
    }
    expect(found / QUERIES / 10).toBeGreaterThan(0.98);
  });
});
