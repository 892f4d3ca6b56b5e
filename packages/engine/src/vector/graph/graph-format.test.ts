import { describe, expect, test } from 'vitest';
import { buildGraph } from '../../../../../test/support/build-graph.ts';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { fixVectors } from '../../base/fixed-vector.ts';
import { VectorReader } from '../vector-reader.ts';
import { VectorWriter } from '../vector-writer.ts';
import { checkGraph, type Graph, openGraph, packGraph } from './graph-format.ts';

const arena = plainArena();
const DIMS = 6;
const COUNT = 400;

function place(parts: readonly Uint8Array[]) {
  const bytes = Buffer.concat(parts);
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  return region;
}

function graphOf(count: number, similarity: 'cosine' | 'dot' | 'l2' = 'l2'): Graph {
  const values = Float32Array.from({ length: count * DIMS }, (_, i) => {
    // The last forty are the first forty once more.
    const at = i < (count - 40) * DIMS ? i : i - (count - 40) * DIMS;
    return Math.sin(at * at + at) + 0.01;
  });
  const writer = new VectorWriter({ dims: DIMS, similarity, index: 'hnsw' });
  const starts = Int32Array.from({ length: count + 1 }, (_, i) => i);
  writer.add(count, { kind: 'vector', starts, dims: DIMS, ...fixVectors(values, DIMS) });
  const reader = new VectorReader(place(writer.finish()), 'test');
  const built = buildGraph(reader, { links: 4, ef: 20 });
  return openGraph(place(packGraph(built)), 'test');
}

function problemsOf(graph: Graph): readonly string[] {
  const problems: string[] = [];
  checkGraph(graph, (problem) => problems.push(problem));
  return problems;
}

describe('the graph file', () => {
  test.each(['cosine', 'dot', 'l2'] as const)(
    'a graph by %s is whole, and twins hang on one',
    (by) => {
      const graph = graphOf(COUNT, by);
      expect(problemsOf(graph)).toEqual([]);
      expect([...graph.twins].filter((next) => next >= 0)).toHaveLength(40);
      expect(graph.near[(COUNT - 1) * 8]).toBe(-1);
    },
  );

  test.each([
    ['a link to nowhere', 'near', 0, COUNT, /links of vector 0/],
    ['a link to itself', 'near', 0, 0, /links of vector 0/],
    ['a link told twice', 'near', 0, null, /links of vector 0/],
    ['a link to a twin', 'near', 0, COUNT - 1, /twins of vector/],
    ['a level that is too large', 'sizes', 0, COUNT, /on level 1/],
    ['levels out of order', 'upper', 1, 0, /vector/],
    ['a link of a level to nowhere', 'far', 0, COUNT, /of level 1/],
    ['a twin of itself', 'twins', 60, 60, /twins of vector/],
  ] as const)('shows %s', (_, section, at, value, named) => {
    const graph = graphOf(COUNT);
    graph[section][at] = value ?? graph.near[1];
    expect(problemsOf(graph).join()).toMatch(named);
  });

  test('accepts a graph of one vector and refuses one that was cut', () => {
    expect(problemsOf(graphOf(41))).toEqual([]);
    const region = place(packGraph(graphOf(COUNT)));
    const half = { ...region, bytes: region.bytes.subarray(0, region.length >> 1) };
    expect(() => openGraph(half, 'test')).toThrow(/damaged/);
  });
});
