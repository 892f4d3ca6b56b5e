import { describe, expect, test } from 'vitest';
import { filesNamed } from '../../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { blockOf } from '../../../../../test/support/writer-pair.ts';
import { fixVectors } from '../../base/fixed-vector.ts';
import type { DocumentBlock } from '../../schema/field-block.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { segmentBytes } from '../../segment/entry.ts';
import { openSnapshot } from '../index-snapshot.ts';
import { IndexWriter } from '../index-writer.ts';
import { MERGE_SETTINGS } from './merge-policy.ts';

const DIMS = 64;
const BLOCK = 100;
const BLOCKS = 40;
const MAX_BYTES = 200_000;

const plan: FieldPlan = {
  id: 3,
  name: 'meaning',
  type: 'VECTOR',
  inverted: null,
  column: null,
  stored: false,
  vector: { dims: DIMS, similarity: 'l2', index: 'flat', model: null },
};

/** Documents first, first + 1, …: each has a vector of its own. */
function vectorsFrom(first: number): DocumentBlock {
  const rows = Array.from(
    { length: BLOCK },
    (_, i) => [`k${first + i}`, { n: 0n, file: 0, position: first + i }] as const,
  );
  const values = Float32Array.from({ length: BLOCK * DIMS }, (_, i) => numberAt(first * DIMS + i));
  const starts = Int32Array.from({ length: BLOCK + 1 }, (_, i) => i);
  const fixed = fixVectors(values, DIMS);
  return {
    ...blockOf(rows),
    fields: new Map([['meaning', { kind: 'vector', starts, dims: DIMS, ...fixed }]]),
  };
}

const numberAt = (i: number): number => Math.sin(i * i) + 0.01;

describe('merges of segments with vectors', () => {
  test('stop at the largest size', () => {
    const directory = new MemoryDirectory(plainArena());
    const merge = { ...MERGE_SETTINGS, floorBytes: 10_000, maxBytes: MAX_BYTES };
    const writer = IndexWriter.open(directory, [plan], { memoryBytes: 100_000, merge });
    for (let i = 0; i < BLOCKS; i++) writer.add(vectorsFrom(i * BLOCK));
    writer.flush();
    const before = writer.segments;
    expect(writer.merges.runForced(1)).toBeGreaterThan(0);
    expect(writer.segments).toBeLessThan(before);
    expect(writer.segments).toBeGreaterThan(2);
    writer.commit({ checkpoint: null, files: filesNamed('file') });
    const snapshot = openSnapshot(directory);
    let docs = 0;
    for (const { entry } of snapshot.segments) {
      expect(segmentBytes(entry)).toBeLessThanOrEqual(MAX_BYTES);
      docs += entry.docs;
    }
    expect(docs).toBe(BLOCK * BLOCKS);
    for (const wanted of [0, 1234, docs - 1]) {
      const query = Float32Array.from({ length: DIMS }, (_, c) => numberAt(wanted * DIMS + c));
      const found = snapshot.segments.flatMap((segment) => {
        const { docs, similarities } = segment.vectors(3)!.nearest(query, 1, { accept: null });
        return [{ position: segment.locators.position(docs[0]), near: similarities[0] }];
      });
      found.sort((a, b) => b.near - a.near);
      expect(found[0].position).toBe(wanted);
    }
    snapshot.release();
    writer.close();
  });
});
