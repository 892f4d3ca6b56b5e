// @module-tag campaign
/**
 * Exactness of the flat search: random vectors, dimensions, similarities, filters, deletes, merges,
 * k, ties, duplicates, zero and absent vectors, held to brute force over plain arrays of what is
 * stored. Half of the cases have queries of small whole numbers: there every sum is exact in any
 * order, and the answers are equal to the last bit. In the others two similarities may differ by
 * rounding.
 */
import { describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { seededNumbers } from '../../../../test/support/random.ts';
import { fixVectors } from '../../src/base/fixed-vector.ts';
import { wordsOf } from '../../src/bitmap/bitmap.ts';
import type { Similarity } from '../../src/schema/definition.ts';
import type { DocumentBlock, FieldBlock } from '../../src/schema/field-block.ts';
import type { FieldPlan } from '../../src/schema/field-plan.ts';
import { checkSegment } from '../../src/segment/check.ts';
import { type MergeInput, mergeSegments } from '../../src/segment/merge.ts';
import { SegmentReader } from '../../src/segment/segment-reader.ts';
import { SegmentWriter } from '../../src/segment/segment-writer.ts';
import { Verification } from '../../src/storage/verification.ts';

const CASES = byEffort(300, 1000);
const SEED = 20_261_121;
const PARTS = 10;

/** A vector as it is stored, or null. */
type Stored = { readonly scale: number; readonly codes: readonly number[] } | null;

const arena = plainArena();

function similarity(
  metric: Similarity,
  query: Float32Array,
  { scale, codes }: NonNullable<Stored>,
) {
  let [dot, squares, lengths, apart] = [0, 0, 0, 0];
  codes.forEach((code, c) => {
    dot += query[c] * code;
    squares += code * code;
    lengths += query[c] * query[c];
    apart += (query[c] - scale * code) ** 2;
  });
  if (metric === 'dot') return scale * dot;
  if (metric === 'l2') return -apart;
  return lengths === 0 ? 0 : dot / (Math.sqrt(lengths) * Math.sqrt(squares));
}

function nearest(found: readonly { doc: number; near: number }[], k: number) {
  const sorted = found.toSorted((a, b) => b.near - a.near || a.doc - b.doc);
  return sorted.filter(({ near }) => near >= sorted[Math.min(k, sorted.length) - 1].near);
}

const bitsOf = (docs: number, has: (doc: number) => boolean): Int32Array => {
  const bits = new Int32Array(wordsOf(docs));
  for (let doc = 0; doc < docs; doc++) if (has(doc)) bits[doc >> 5] |= 1 << (doc & 31);
  return bits;
};

describe('the nearest vectors', () => {
  for (let part = 0; part < PARTS; part++) {
    test(`are those of brute force, part ${part + 1} of ${PARTS}`, () => {
      for (let number = part; number < CASES; number += PARTS) runCase(SEED + number);
    });
  }
});

function runCase(seed: number): void {
  const random = seededNumbers(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)];
  const dims = pick([
    1,
    2,
    3,
    7,
    15,
    16,
    17,
    31,
    32,
    33,
    48,
    100,
    128,
    160,
    384,
    pick([1, 768, 1030]),
  ]);
  const metric = pick(['cosine', 'dot', 'l2'] as const);
  const whole = random() < 0.5;
  const size = pick([1, 3, 40, 200, dims > 500 ? 300 : 800]);
  const pool = pick([2, 10, size, size]);
  const absent = pick([0, 0, 0.1, 0.9]);
  const component = (): number => {
    if (whole) return Math.floor(random() * 5) - 2;
    return (random() - 0.5) * 10 ** Math.floor(random() * 3);
  };
  const vectors = Array.from({ length: pool }, () =>
    Float32Array.from({ length: dims }, component),
  );
  const plans = [planOf(dims, metric)];
  const rows = (count: number): (Float32Array | null)[] =>
    Array.from({ length: count }, () => (random() < absent ? null : pick(vectors)));
  const directory = new MemoryDirectory(arena);
  const verification = new Verification(directory);
  const open = (entry: ReturnType<SegmentWriter['finish']>) =>
    SegmentReader.open(directory, entry, verification);

  const segments = Array.from({ length: pick([1, 1, 2, 3]) }, (_, i) => {
    const list = rows(Math.ceil(size / (i + 1)));
    const writer = new SegmentWriter(plans);
    const cut = Math.floor(random() * list.length);
    const blocks = [blockOf(list.slice(0, cut), dims), blockOf(list.slice(cut), dims)];
    for (const block of blocks) writer.add(block);
    const stored = blocks.flatMap((block) => storedOf(block));
    return { reader: open(writer.finish(directory, `s${i}`)), stored };
  });
  if (random() < 0.5) {
    const inputs = segments.map(({ reader, stored }): MergeInput & { stored: Stored[] } => {
      const gone = pick([0, 0.02, 0.5]);
      const deleted = gone === 0 ? null : bitsOf(reader.docs, () => random() < gone);
      return { reader, deleted, moved: null, stored };
    });
    const { entry } = mergeSegments(inputs, [{ ...plans[0], inverted: null }], directory, 'm');
    const live = inputs.flatMap(({ stored, deleted }) =>
      stored.filter((_, doc) => deleted === null || ((deleted[doc >> 5] >> (doc & 31)) & 1) === 0),
    );
    segments.push({ reader: open(entry), stored: live });
  }
  for (const { reader, stored } of segments) {
    expect(checkSegment(reader, 1), `seed ${seed}`).toEqual([]);
    for (let turn = 0; turn < 3; turn++) {
      const query = Float32Array.from({ length: dims }, component);
      const near = pick([undefined, undefined, pick(vectors)]) ?? query;
      const share = pick([null, 0, 0.02, 0.3, 0.9]);
      const accept = share === null ? null : bitsOf(stored.length, () => random() < share);
      const k = pick([1, 2, 10, 100, 10_000]);
      holds(reader, stored, metric, whole ? query : near, k, accept, whole ? 0 : 1e-9, seed);
    }
  }
  for (const { reader } of segments) reader.release();
}

function holds(
  segment: SegmentReader,
  stored: readonly Stored[],
  metric: Similarity,
  query: Float32Array,
  k: number,
  accept: Int32Array | null,
  slack: number,
  seed: number,
): void {
  const docs = stored.length;
  const said = `seed ${seed}, ${metric}, ${query.length} dimensions, ${docs} documents, k ${k}`;
  const reader = segment.vectors(7);
  if (reader === null) throw new Error('the segment has no vectors');
  const all = stored.flatMap((vector, doc) => {
    if (vector === null) return [];
    return [{ doc, near: similarity(metric, query, vector) }];
  });
  const allowed = all.filter(
    ({ doc }) => accept === null || ((accept[doc >> 5] >> (doc & 31)) & 1) === 1,
  );
  const expected = nearest(allowed, k);
  const found = reader.nearest(query, k, { accept });
  expect(reader.count, said).toBe(all.length);
  if (slack === 0) {
    expect([...found.docs], said).toEqual(expected.map(({ doc }) => doc));
    expect([...found.similarities], said).toEqual(expected.map(({ near }) => near));
  } else {
    const last = expected.at(-1)?.near ?? 0;
    const off = slack * (1 + Math.abs(last));
    const known = new Map(allowed.map(({ doc, near }) => [doc, near]));
    const answered = new Set(found.docs);
    expect(answered.size, said).toBe(found.docs.length);
    expect(answered.size, said).toBeGreaterThanOrEqual(Math.min(k, allowed.length));
    for (const { doc, near } of expected)
      if (near > last + off) expect(answered.has(doc), said).toBe(true);
    found.docs.forEach((doc, i) => {
      const near = known.get(doc) ?? Number.NaN;
      expect(near, said).toBeGreaterThanOrEqual(last - off);
      expect(Math.abs(near - found.similarities[i]), said).toBeLessThanOrEqual(
        slack * (1 + Math.abs(near)),
      );
      if (i > 0)
        expect(found.similarities[i - 1], said).toBeGreaterThanOrEqual(found.similarities[i]);
    });
  }
  found.docs.forEach((doc, i) => {
    expect(reader.similarity(query, doc), said).toBe(found.similarities[i]);
  });
}

const planOf = (dims: number, metric: Similarity): FieldPlan => ({
  id: 7,
  name: 'v',
  type: 'VECTOR',
  inverted: null,
  column: null,
  stored: false,
  vector: { dims, similarity: metric, index: 'flat', model: null },
});

let keys = 0;

function blockOf(list: readonly (Float32Array | null)[], dims: number): DocumentBlock {
  const present = list.filter((vector) => vector !== null);
  const values = new Float32Array(present.length * dims);
  for (const [i, vector] of present.entries()) values.set(vector, i * dims);
  const { scales, codes } = fixVectors(values, dims);
  const starts = new Int32Array(list.length + 1);
  list.forEach((vector, i) => {
    starts[i + 1] = starts[i] + (vector === null ? 0 : 1);
  });
  const names = list.map(() => Buffer.from(String(keys++)));
  const keyOffsets = new Int32Array(list.length + 1);
  names.forEach((name, i) => {
    keyOffsets[i + 1] = keyOffsets[i] + name.length;
  });
  const field: FieldBlock = { kind: 'vector', starts, dims, scales, codes };
  return {
    docs: list.length,
    keyOffsets,
    keyBytes: Buffer.concat(names),
    files: new Int32Array(list.length),
    positions: Int32Array.from(list, () => keys++),
    hashes: new BigUint64Array(list.length),
    fields: new Map([['v', field]]),
  };
}

/** What is stored of a block; a vector of zeros is none. */
function storedOf(block: DocumentBlock): Stored[] {
  const field = block.fields.get('v');
  if (field?.kind !== 'vector') return [];
  return Array.from({ length: block.docs }, (_, doc) => {
    const at = field.starts[doc];
    if (field.starts[doc + 1] === at || field.scales[at] === 0) return null;
    const codes = field.codes.subarray(at * field.dims, (at + 1) * field.dims);
    return { scale: field.scales[at], codes: [...codes] };
  });
}
