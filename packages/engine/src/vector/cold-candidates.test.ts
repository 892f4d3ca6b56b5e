/** Nearest vectors of a file that is fetched in blocks, against the same file as a whole. */
import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { seededNumbers } from '../../../../test/support/random.ts';
import { fixVectors } from '../base/fixed-vector.ts';
import { setBit, wordsOf } from '../bitmap/bitmap.ts';
import type { Similarity } from '../schema/definition.ts';
import { ColdMiss } from '../storage/cold-file.ts';
import type { ColdSearches } from './cold-candidates.ts';
import { VectorReader } from './vector-reader.ts';
import { VectorWriter } from './vector-writer.ts';

const BLOCK = 16 * 1024;
const DIMS = 384;
const ROWS = 12_000;
/** A query's k nearest come with the bar of few tails if k is 1, with all tails if it is 10. */
const DEPTHS = [1, 10];
const random = seededNumbers(31);
const arena = plainArena(64 * 2 ** 20);

/** Rows of falling magnitudes; some are alike, and each ninth document has none. */
const values = Float32Array.from({ length: ROWS * DIMS }, (_, i) => {
  return (random() - 0.5) * (i % DIMS < DIMS / 2 ? 1 : 0.3);
});
for (let row = 50; row < ROWS; row += 50) values.copyWithin(row * DIMS, 0, DIMS);

function fileOf(similarity: Similarity): Uint8Array {
  const docs = Math.ceil((ROWS * 9) / 8);
  const starts = Int32Array.from({ length: docs + 1 }, (_, doc) => doc - Math.floor(doc / 9));
  const writer = new VectorWriter({ dims: DIMS, similarity, index: 'flat' });
  writer.add(docs, { kind: 'vector', starts, dims: DIMS, ...fixVectors(values, DIMS) });
  return Buffer.concat(writer.finish());
}

/** The file with all bytes, and one that has none but heads until they are fetched. */
function open(similarity: Similarity) {
  const bytes = fileOf(similarity);
  const [whole, cold] = [arena.allocate(bytes.length), arena.allocate(bytes.length)];
  whole.bytes.set(bytes);
  const resident = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4 + 8 * 4, true);
  const missing = new Set<number>();
  const present = new Set<number>();
  const blocksOf = (at: number, size: number): number[] => {
    const [from, to] = [at - cold.offset, at - cold.offset + size];
    if (to <= resident || size === 0) return [];
    const first = Math.floor(from / BLOCK);
    return Array.from({ length: Math.ceil(to / BLOCK) - first }, (_, i) => first + i);
  };
  const need = (at: number, size: number): void => {
    const absent = blocksOf(at, size).filter((block) => !present.has(block));
    for (const block of absent) missing.add(block);
    if (absent.length > 0) throw new ColdMiss();
  };
  const has = (at: number, size: number) => blocksOf(at, size).every((b) => present.has(b));
  const empty = (): void => {
    present.clear();
    cold.bytes.fill(255);
    cold.bytes.set(bytes.subarray(0, resident));
  };
  const fetch = (): void => {
    for (const block of missing) {
      const at = block * BLOCK;
      cold.bytes.set(bytes.subarray(at, at + BLOCK), at);
      present.add(block);
    }
    missing.clear();
  };
  empty();
  return {
    hot: new VectorReader(whole, 'hot'),
    cold: new VectorReader({ ...cold, need, has }, 'cold'),
    figures: () => present.size * BLOCK,
    ...{ empty, fetch },
  };
}

const accepting = (docs: number, isIn: (doc: number) => boolean): Int32Array => {
  const bits = new Int32Array(wordsOf(docs));
  for (let doc = 0; doc < docs; doc++) if (isIn(doc)) setBit(bits, doc);
  return bits;
};

describe.each(['cosine', 'dot', 'l2'] as const)('the nearest by %s of a cold file', (metric) => {
  const file = open(metric);
  const { docs } = file.hot;
  const filters: Record<string, Int32Array | null> = {
    all: null,
    'those after a filter': accepting(docs, (doc) => doc % 10 > 1),
    'one of 40': accepting(docs, (doc) => doc % 40 === 0),
    'some that lie together': accepting(docs, (doc) => doc > 5000 && doc < 5600),
    none: accepting(docs, () => false),
  };
  const search = (query: Float32Array, k: number, accept: Int32Array | null) => {
    const cold: ColdSearches = new WeakMap();
    for (let rounds = 0; ; rounds++) {
      try {
        return { rounds, found: file.cold.nearest(query, k, { accept, cold }) };
      } catch (error) {
        if (!(error instanceof ColdMiss)) throw error;
        file.fetch();
      }
    }
  };

  it.each(Object.keys(filters))('are those of the whole file among %s, after 4 rounds', (name) => {
    const accept = filters[name]!;
    for (let at = 0; at < 8; at++) {
      const row = at === 0 ? 0 : Math.floor(random() * ROWS) * DIMS;
      const query = values.slice(row, row + DIMS).map((value) => value + 0.2 * (random() - 0.5));
      for (const k of DEPTHS) {
        if (at % 2 === 0) file.empty();
        const { found, rounds } = search(query, k, accept);
        expect(found).toEqual(file.hot.nearest(query, k, { accept }));
        expect(rounds).toBeLessThan(5);
      }
    }
  });

  it('need few bytes but the heads', () => {
    file.empty();
    const query = values.slice(DIMS, 2 * DIMS);
    search(query, 1, null);
    const heads = ROWS * (DIMS / 2 + 20);
    expect(file.figures()).toBeLessThan(1.5 * heads);
    file.empty();
    search(query, 1, filters['some that lie together']!);
    expect(file.figures()).toBeLessThan(heads / 2);
  });
});
