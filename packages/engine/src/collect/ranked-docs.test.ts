import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import type { SegmentKeys } from '../segment/keys/keys.ts';
import {
  compareRanked,
  mergeRanked,
  type RankedDoc,
  type SortKey,
  type SortValue,
} from './order.ts';
import { RankedDocs } from './ranked-docs.ts';
import type { SegmentSortKey } from './segment-order.ts';

type Value = bigint | null;
const FIELD = {
  id: 0,
  name: 'n',
  type: 'LONG',
  inverted: null,
  column: 'numeric',
  stored: false,
} as const;

/** A numeric sort key whose places are rounded to tens: what beyond-2^53 integers do to doubles. */
function blurredKey(values: readonly Value[], desc: boolean): SegmentSortKey {
  const sign = desc ? -1 : 1;
  const place = (value: Value) =>
    value === null ? Number.POSITIVE_INFINITY : sign * Math.round(Number(value) / 10);
  return {
    desc,
    missingFirst: false,
    rank: (doc) => place(values[doc]!),
    blurred: () => true,
    value: (doc) => values[doc]!,
    rankOf: (value) => place(value as Value),
    zoneStart: () => Number.NEGATIVE_INFINITY,
  };
}

interface Doc {
  readonly key: number;
  readonly values: readonly Value[];
}

const keyBytes = (key: number): Uint8Array => Buffer.from(String(key).padStart(6, '0'));

function keysOf(docs: readonly Doc[]): SegmentKeys {
  const sorted = docs.map((doc) => doc.key).sort((a, b) => a - b);
  const ranks = Int32Array.from(docs, (doc) => sorted.indexOf(doc.key));
  const key = (doc: number) => keyBytes(docs[doc]!.key);
  return {
    docs: docs.length,
    ranks,
    rank: (doc: number) => ranks[doc],
    key,
  } as unknown as SegmentKeys;
}

const value = fc.option(fc.bigInt({ min: -25n, max: 25n }), { nil: null });
const document = fc.record({
  key: fc.nat(999_999),
  values: fc.tuple(value, value),
});

interface Input {
  readonly docs: readonly Doc[];
  /** Documents of the first segment. */
  readonly split: number;
  readonly limit: number;
  readonly desc: readonly boolean[];
}

/** Holds the pages of two segments, put together, to the sorted whole. */
function expectSorted({ docs, split, limit, desc }: Input): void {
  const order = desc.map((d): SortKey => ({ kind: 'field', desc: d, field: FIELD }));
  const segments = [docs.slice(0, split), docs.slice(split)].map((segment) => ({
    size: segment.length,
    segmentKeys: keysOf(segment),
    keys: desc.map((d, i) =>
      blurredKey(
        segment.map((doc) => doc.values[i]!),
        d,
      ),
    ),
  }));
  const expected = docs
    .map((doc) => ({ values: doc.values as readonly SortValue[], key: keyBytes(doc.key) }))
    .sort((a, b) => compareRanked(a, b, order))
    .map((doc) => Buffer.from(doc.key).toString());
  const paged: string[] = [];
  let after: RankedDoc | null = null;
  for (let page = 0; page <= docs.length; page++) {
    let merged: readonly RankedDoc[] = [];
    segments.forEach(({ size, segmentKeys, keys }, number) => {
      const last = merged.length === limit ? merged[limit - 1]! : null;
      const top = new RankedDocs(keys, segmentKeys, limit, after, last);
      for (let doc = size - 1; doc >= 0; doc--) top.offer(doc, 0);
      merged = mergeRanked(merged, top.harvest(number), order, limit);
    });
    if (merged.length === 0) break;
    paged.push(...merged.map((doc) => Buffer.from(doc.key).toString()));
    after = merged.at(-1)!;
  }
  expect(paged).toEqual(expected);
}

describe('RankedDocs', () => {
  test('joins segments and pages of any size to the sorted whole', () => {
    const corpus = fc.uniqueArray(document, { maxLength: 40, selector: (doc) => doc.key });
    const input = fc.record({
      docs: corpus,
      split: fc.nat(40),
      limit: fc.integer({ min: 1, max: 7 }),
      desc: fc.tuple(fc.boolean(), fc.boolean()),
    });
    fc.assert(fc.property(input, expectSorted), { seed: 20_261_121, numRuns: 2000 });
  });

  test('joins pages that are too long for a heap to the sorted whole', () => {
    const below = seededBelow(7);
    const value = (): Value => (below(9) === 0 ? null : BigInt(below(400) - 200));
    const docs = Array.from({ length: 7000 }, (_, i): Doc => {
      return { key: (i * 7919) % 1_000_003, values: [value(), value()] };
    });
    for (const limit of [1025, 1500, 6999, 8000]) {
      for (const desc of [[true], [false, true]]) {
        expectSorted({ docs, split: 5000, limit, desc });
        expectSorted({ docs, split: 0, limit, desc });
      }
    }
  });
});
