import { describe, expect, test } from 'vitest';
import { TopDocs } from './top-docs.ts';

const DOCS = 700;

/** A number below `below` that depends on the seed alone. */
function random(seed: number, below: number): number {
  let x = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) % below;
}

interface Offered {
  readonly segment: number;
  readonly doc: number;
  readonly score: number;
  readonly key: string;
}

/** Documents of three segments; few scores, so that keys decide most places. */
const OFFERED: readonly Offered[] = [0, 1, 2].flatMap((segment) =>
  Array.from({ length: DOCS }, (_, doc): Offered => {
    const seed = segment * DOCS + doc;
    const key = `${String(random(seed, 1e9)).padStart(9, '0')}-${seed}`;
    return { segment, doc, score: 1 + random(seed + 7e6, 9), key };
  }),
);

const inOrder = (a: Offered, b: Offered): number => b.score - a.score || (a.key < b.key ? -1 : 1);

function ranksOf(segment: number): Int32Array {
  const own = OFFERED.filter((offered) => offered.segment === segment);
  const ranks = new Int32Array(DOCS);
  const byKey = own.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  byKey.forEach(({ doc }, rank) => {
    ranks[doc] = rank;
  });
  return ranks;
}

const keyOf = (segment: number, doc: number): Uint8Array =>
  Buffer.from(OFFERED[segment * DOCS + doc].key);

function collect(limit: number, after: Offered | null): TopDocs {
  const start = after === null ? null : { score: after.score, key: Buffer.from(after.key) };
  const top = new TopDocs(limit, keyOf, start);
  for (const segment of [2, 0, 1]) {
    top.enter(segment, ranksOf(segment));
    for (const { doc, score } of OFFERED.slice(segment * DOCS, (segment + 1) * DOCS)) {
      if (score >= top.theta) top.offer(doc, score);
    }
  }
  return top;
}

describe('the best documents', () => {
  const sorted = OFFERED.toSorted(inOrder);
  const plain = (docs: readonly Offered[]) =>
    docs.map(({ segment, doc, score }) => ({ segment, doc, score }));

  test.for([1, 64, 65, 300, 1000, 2100, 5000])('%i of three segments come in order', (limit) => {
    for (const first of [0, 500]) {
      const after = first === 0 ? null : sorted[first - 1];
      const top = collect(limit, after);
      const right = plain(sorted.slice(first, first + limit));
      expect(top.kept).toBe(right.length);
      expect(top.settled).toBe(right.length === limit);
      expect(top.harvest()).toEqual(right);
    }
  });

  test.for([65, 300, 5000])('of %i the first ones can be left out', (limit) => {
    const kept = Math.min(limit, sorted.length);
    for (const skip of [0, 1, kept - 10, kept - 1, kept]) {
      expect(collect(limit, null).harvest(skip)).toEqual(plain(sorted.slice(skip, kept)));
    }
  });
});
