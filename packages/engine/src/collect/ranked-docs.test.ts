import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SegmentKeys } from '../segment/keys.ts';
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
    place: (doc) => place(values[doc]!),
    blurred: () => true,
    value: (doc) => values[doc]!,
    placeOf: (value) => place(value as Value),
    zonePlace: () => Number.NEGATIVE_INFINITY,
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
  return { docs: docs.length, ranks, key } as unknown as SegmentKeys;
}

const value = fc.option(fc.bigInt({ min: -25n, max: 25n }), { nil: null });
const document = fc.record({
  key: fc.nat(999_999),
  values: fc.tuple(value, value),
});

test('segments and pages of any size put together are the sorted whole', () => {
  const corpus = fc.uniqueArray(document, { maxLength: 40, selector: (doc) => doc.key });
  const input = fc.record({
    docs: corpus,
    split: fc.nat(40),
    limit: fc.integer({ min: 1, max: 7 }),
    desc: fc.tuple(fc.boolean(), fc.boolean()),
  });
  fc.assert(
    fc.property(input, ({ docs, split, limit, desc }) => {
      const order = desc.map((d): SortKey => ({ kind: 'field', desc: d, field: FIELD }));
      const segments = [docs.slice(0, split), docs.slice(split)];
      const expected = docs
        .map((doc) => ({ values: doc.values as readonly SortValue[], key: keyBytes(doc.key) }))
        .sort((a, b) => compareRanked(a, b, order))
        .map((doc) => Buffer.from(doc.key).toString());
      const paged: string[] = [];
      let after: RankedDoc | null = null;
      for (let page = 0; page <= docs.length; page++) {
        let merged: readonly RankedDoc[] = [];
        segments.forEach((segment, number) => {
          const keys = desc.map((d, i) =>
            blurredKey(
              segment.map((doc) => doc.values[i]!),
              d,
            ),
          );
          const last = merged.length === limit ? merged[limit - 1]! : null;
          const top = new RankedDocs(keys, keysOf(segment), limit, after, last);
          for (let doc = segment.length - 1; doc >= 0; doc--) top.offer(doc, 0);
          merged = mergeRanked(merged, top.harvest(number), order, limit);
        });
        if (merged.length === 0) break;
        paged.push(...merged.map((doc) => Buffer.from(doc.key).toString()));
        after = merged.at(-1)!;
      }
      expect(paged).toEqual(expected);
    }),
    { seed: 20_261_121, numRuns: 2000 },
  );
});
