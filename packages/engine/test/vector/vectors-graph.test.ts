/**
 * Graphs over vectors: how many of the true nearest they find (printed by segment size), that a
 * filter never leaves an answer short, that a merge takes a graph over, that the same vectors give
 * the same file. Truth is the flat search, which vector/vectors-exact.test.ts holds to brute force.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { seededNumbers } from '../../../../test/support/random.ts';
import { fixVectors } from '../../src/base/fixed-vector.ts';
import { wordsOf } from '../../src/bitmap/bitmap.ts';
import type { DocumentBlock, FieldBlock } from '../../src/schema/field-block.ts';
import type { FieldPlan } from '../../src/schema/field-plan.ts';
import { checkSegment } from '../../src/segment/check.ts';
import { mergeSegments } from '../../src/segment/merge.ts';
import { SegmentReader } from '../../src/segment/segment-reader.ts';
import { SegmentWriter } from '../../src/segment/segment-writer.ts';
import { Verification } from '../../src/storage/verification.ts';
import type { VectorReader } from '../../src/vector/vector-reader.ts';

const SEED = 77;
const DIMS = 32;
const CENTRES = 50;
const plan: FieldPlan = {
  id: 3,
  name: 'v',
  type: 'VECTOR',
  inverted: null,
  column: null,
  stored: false,
  vector: { dims: DIMS, similarity: 'cosine', index: 'hnsw', model: null },
};
const fields = [{ ...plan, inverted: null }];
const directory = new MemoryDirectory(plainArena(96 * 2 ** 20));
const random = seededNumbers(SEED);
const centres = Array.from({ length: CENTRES * DIMS }, () => random() - 0.5);

/** Vectors around some centres, row by row. */
function vectors(count: number): Float32Array {
  const values = new Float32Array(count * DIMS);
  for (let i = 0; i < count; i++) {
    const centre = Math.floor(random() * CENTRES) * DIMS;
    for (let c = 0; c < DIMS; c++) {
      const noise = random() + random() + random() - 1.5;
      values[i * DIMS + c] = centres[centre + c] + 0.5 * noise;
    }
  }
  return values;
}

let keys = 0;

function segmentOf(id: string, count: number, values = vectors(count)): SegmentReader {
  const writer = new SegmentWriter([plan]);
  const field: FieldBlock = {
    kind: 'vector',
    starts: Int32Array.from({ length: count + 1 }, (_, i) => i),
    dims: DIMS,
    ...fixVectors(values, DIMS),
  };
  const names = Array.from({ length: count }, () => Buffer.from(String(10_000_000 + keys++)));
  const block: DocumentBlock = {
    docs: count,
    keyOffsets: Int32Array.from({ length: count + 1 }, (_, i) => 8 * i),
    keyBytes: Buffer.concat(names),
    files: new Int32Array(count),
    positions: Int32Array.from({ length: count }, (_, i) => i),
    hashes: new BigUint64Array(count),
    fields: new Map([['v', field]]),
  };
  writer.add(block);
  return SegmentReader.open(directory, writer.finish(directory, id), new Verification(directory));
}

const vectorsOf = (segment: SegmentReader): VectorReader => {
  const reader = segment.vectors(plan.id);
  if (reader === null) throw new Error('no vectors');
  return reader;
};

/** Part of the true ten nearest that the graph finds, over some queries. */
function recall(reader: VectorReader, accept: Int32Array | null, ef?: number): number {
  let found = 0;
  const queries = vectors(100);
  for (let i = 0; i < 100; i++) {
    const query = queries.subarray(i * DIMS, (i + 1) * DIMS);
    const truth = new Set(reader.nearest(query, 10, { accept, exact: true }).docs);
    const { docs } = reader.nearest(query, 10, { accept, ef });
    expect(docs.length).toBeGreaterThanOrEqual(10);
    for (const doc of docs) if (truth.has(doc)) found++;
  }
  return found / 1000;
}

/** A bitmap of a random part of the documents. */
function accepting(reader: VectorReader, part: number): Int32Array {
  const accept = new Int32Array(wordsOf(reader.docs));
  for (let doc = 0; doc < reader.docs; doc++) {
    if (random() < part) accept[doc >> 5] |= 1 << (doc & 31);
  }
  return accept;
}

let large: SegmentReader;
let small: SegmentReader;
let merged: SegmentReader;
beforeAll(() => {
  large = segmentOf('large', 14_000);
  small = segmentOf('small', 3000);
  const inputs = [small, large].map((reader) => ({ reader, deleted: null, moved: null }));
  const { entry } = mergeSegments(inputs, fields, directory, 'merged');
  merged = SegmentReader.open(directory, entry, new Verification(directory));
}, 600_000);
afterAll(() => {
  for (const segment of [large, small, merged]) segment.release();
});

describe('vector graphs', () => {
  test('find nearly all of the nearest, at every size', () => {
    for (const count of [10_000]) {
      const segment = segmentOf(`s${count}`, count);
      said(vectorsOf(segment), count);
      segment.release();
    }
    said(vectorsOf(large), 14_000);
    said(vectorsOf(merged), 17_000);
  });

  function said(reader: VectorReader, count: number): void {
    expect(reader.count).toBe(count);
    expect(reader.graph).not.toBeNull();
    const parts = [10, 32, 64].map((ef) => [ef, recall(reader, null, ef)] as const);
    const text = parts.map(([ef, part]) => `${(100 * part).toFixed(1)} % at ef ${ef}`).join(', ');
    console.log(
      `graph over ${count} vectors of ${DIMS} dimensions, seed ${SEED}: recall@10 ${text}`,
    );
    expect(parts[2][1]).toBeGreaterThan(0.97);
  }

  test('pass the check when intact and fail it when a link was changed', () => {
    for (const segment of [large, small, merged]) expect(checkSegment(segment, 1)).toEqual([]);
    const { graph } = vectorsOf(merged);
    if (graph === null) throw new Error('no graph');
    const link = graph.near[500];
    graph.near[500] = graph.count;
    expect(checkSegment(merged, 1).join()).toContain('checksum');
    graph.near[500] = link;
    expect(checkSegment(merged, 1)).toEqual([]);
  });

  test('are not built for few vectors', () => {
    expect(vectorsOf(small).graph).toBeNull();
  });

  test('fill the requested number of hits under any filter', () => {
    const reader = vectorsOf(merged);
    for (const part of [0.9, 0.5, 0.2, 0.05, 0.01, 0.0004]) {
      const accept = new Int32Array(wordsOf(reader.docs));
      let accepted = 0;
      for (let doc = 0; doc < reader.docs; doc++) {
        if (random() >= part) continue;
        accept[doc >> 5] |= 1 << (doc & 31);
        accepted++;
      }
      for (const k of [1, 10, 500]) {
        const query = vectors(1);
        const { docs } = reader.nearest(query, k, { accept });
        expect(docs.length).toBeGreaterThanOrEqual(Math.min(k, accepted));
        for (const doc of docs) expect((accept[doc >> 5] >> (doc & 31)) & 1).toBe(1);
      }
      if (accepted >= 10) expect(recall(reader, accept)).toBeGreaterThan(0.9);
    }
    const none = new Int32Array(wordsOf(reader.docs));
    expect(reader.nearest(vectors(1), 10, { accept: none }).docs).toHaveLength(0);
  });

  test('are used if they cost less, and then find 98 % of the nearest', () => {
    const reader = vectorsOf(merged);
    const methods = new Set<string>();
    for (const part of [1, 0.8, 0.4, 0.1, 0.01]) {
      const accept = accepting(reader, part);
      const { choice } = reader.nearest(vectors(1), 10, { accept });
      methods.add(choice.method);
      expect(choice.reason).toBe('cheaper');
      expect(recall(reader, accept)).toBeGreaterThanOrEqual(choice.method === 'flat' ? 1 : 0.98);
    }
    expect(methods).toEqual(new Set(['flat', 'graph']));
  });

  test('equal brute force where the choice or the definition is flat', () => {
    const reader = vectorsOf(merged);
    for (const [part, search] of [
      [0.6, 'flat'],
      [0.02, 'auto'],
    ] as const) {
      const accept = accepting(reader, part);
      const query = vectors(1);
      const { docs, choice } = reader.nearest(query, 10, { accept, search });
      expect(choice.method).toBe('flat');
      const all = Array.from({ length: reader.docs }, (_, doc) => doc)
        .filter((doc) => ((accept[doc >> 5] >> (doc & 31)) & 1) === 1)
        .map((doc) => ({ doc, similarity: reader.similarity(query, doc) as number }))
        .sort((a, b) => b.similarity - a.similarity || a.doc - b.doc);
      expect([...docs.subarray(0, 10)]).toEqual(all.slice(0, 10).map(({ doc }) => doc));
    }
  });

  test('are used under any filter if the definition names them', () => {
    const reader = vectorsOf(merged);
    const accept = accepting(reader, 0.05);
    const options = { accept, search: 'graph' } as const;
    const { docs, choice } = reader.nearest(vectors(1), 10, options);
    expect(choice).toMatchObject({ method: 'graph', reason: 'definition' });
    expect(docs.length).toBeGreaterThanOrEqual(10);
    const few = new Int32Array(wordsOf(reader.docs));
    few[3] = 7;
    const found = reader.nearest(vectors(1), 10, { accept: few, search: 'graph' });
    expect(found.choice).toMatchObject({ method: 'flat', reason: 'too_few' });
    expect(found.docs).toHaveLength(3);
  });

  test('are the same for the same segments', () => {
    const inputs = [small, large].map((reader) => ({ reader, deleted: null, moved: null }));
    mergeSegments(inputs, fields, directory, 'again');
    for (const kind of ['vector', 'graph']) {
      const [a, b] = ['merged', 'again'].map((id) => directory.read(`${id}.f3.${kind}`));
      expect(Buffer.compare(a, b)).toBe(0);
    }
  });

  test('are built again if many vectors were deleted', () => {
    const deleted = new Int32Array(wordsOf(large.docs));
    for (let doc = 0; doc < large.docs; doc += 4) deleted[doc >> 5] |= 1 << (doc & 31);
    const inputs = [{ reader: large, deleted, moved: null }];
    const { entry } = mergeSegments(inputs, fields, directory, 'thinned');
    const segment = SegmentReader.open(directory, entry, new Verification(directory));
    expect(checkSegment(segment, 1)).toEqual([]);
    expect(recall(vectorsOf(segment), null)).toBeGreaterThan(0.97);
    segment.release();
  });

  test('are reused if few vectors were deleted, those of the highest level included', () => {
    const { graph } = vectorsOf(large);
    if (graph === null) throw new Error('no graph');
    const deleted = new Int32Array(wordsOf(large.docs));
    const gone = [...graph.upper.subarray(0, graph.sizes.at(-1))];
    for (let doc = 0; doc < large.docs; doc += 50) gone.push(doc);
    for (const doc of gone) deleted[doc >> 5] |= 1 << (doc & 31);
    const inputs = [{ reader: large, deleted, moved: null }];
    const { entry } = mergeSegments(inputs, fields, directory, 'fewer');
    const segment = SegmentReader.open(directory, entry, new Verification(directory));
    expect(checkSegment(segment, 1)).toEqual([]);
    expect(recall(vectorsOf(segment), null)).toBeGreaterThan(0.97);
    segment.release();
  });

  test('return all equal vectors and still reach the others', () => {
    const count = 10_500;
    const values = vectors(count);
    for (let doc = 0; doc < count; doc++) {
      if (doc % 20 < 7) values.copyWithin(doc * DIMS, (doc % 5) * DIMS, ((doc % 5) + 1) * DIMS);
    }
    const inputs = [segmentOf('equal', count, values), small].map((reader) => ({
      reader,
      deleted: null,
      moved: null,
    }));
    const { entry } = mergeSegments(inputs, fields, directory, 'equals');
    const both = SegmentReader.open(directory, entry, new Verification(directory));
    for (const reader of [inputs[0].reader, both]) {
      expect(checkSegment(reader, 1)).toEqual([]);
      const found = vectorsOf(reader);
      expect(found.graph?.twins.length).toBe(found.count);
      for (let first = 0; first < 5; first++) {
        const query = values.subarray(first * DIMS, (first + 1) * DIMS);
        const truth = found.nearest(query, 10, { accept: null, exact: true });
        expect(truth.docs.length).toBeGreaterThan(500);
        const walked = found.nearest(query, 10, { accept: null, search: 'graph' });
        expect(walked.choice.method).toBe('graph');
        expect({ ...walked, choice: truth.choice }).toEqual(truth);
      }
      expect(recall(found, null)).toBeGreaterThan(0.97);
    }
    inputs[0].reader.release();
    both.release();
  });
});
