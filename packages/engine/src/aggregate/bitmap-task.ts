/** Buckets that are bitmaps of a segment: ranges, a filter, documents without a value. */
import { bitKernelsOf, simdFor } from '../bitmap/bit-kernels.ts';
import { hasBit, popcount } from '../bitmap/bitmap.ts';
import type { Clause } from '../query/bind/clause.ts';
import type { Arena } from '../storage/directory.ts';
import type { Aggregation } from './aggregation.ts';
import type { BucketKey } from './bucket-key.ts';
import { emptyBuckets, mergeBuckets } from './bucket-partials.ts';
import { splitStream, type WholeStream } from './document-stream.ts';
import type { BucketsPartial, PartialBucket } from './partial.ts';
import type { SegmentCollector, SegmentPart, SegmentScope } from './segment-collector.ts';
import type { AggregationRun, AggregationTask } from './task.ts';

/** The part of an aggregation whose buckets are the documents of clauses, numbered from 0. */
export function bitmapBuckets(
  clauses: readonly Clause[],
  subs: readonly Aggregation[],
): Pick<Aggregation<BucketsPartial>, 'collect' | 'empty' | 'merge'> {
  return {
    collect: (run, parts, owners) => bitmapTask(run, clauses, subs, parts, owners),
    empty: () => emptyBuckets(clauses.length, subs),
    merge: (into, other) => mergeBuckets(subs, into, other),
  };
}

function bitmapTask(
  run: AggregationRun,
  clauses: readonly Clause[],
  subs: readonly Aggregation[],
  parts: readonly SegmentPart[],
  owners: number,
): AggregationTask {
  const { length } = clauses;
  const counts = new Float64Array(owners * length);
  const bitmaps = parts.map(({ scope }) => bitmapsOf(scope, clauses));
  const collectors = parts.map(({ scope }, i) => bitmapCounter(scope, bitmaps[i], counts));
  const nested = () => {
    if (subs.length === 0) return [];
    const split = parts.map(({ scope, stream, count }, i): SegmentPart => {
      return { scope, stream: splitStream(stream, bitmaps[i]), count: count * length };
    });
    return run.evaluate(subs, split, owners * length);
  };
  return {
    collectors,
    partials() {
      const found = nested();
      return Array.from({ length: owners }, (_, owner): BucketsPartial => {
        const buckets = new Map<BucketKey, PartialBucket>();
        for (let b = 0; b < length; b++) {
          const id = owner * length + b;
          const own = found.map((partials) => partials[id]);
          buckets.set(BigInt(b), { count: counts[id], subs: own });
        }
        return { buckets, left: 0 };
      });
    },
  };
}

/** Counts documents by owner x number of bitmaps + bitmap. */
function bitmapCounter(
  { reader }: SegmentScope,
  bitmaps: readonly Int32Array[],
  counts: Float64Array,
): SegmentCollector {
  const { length } = bitmaps;
  return {
    collectAll({ matches }: WholeStream) {
      bitmaps.forEach((bits, b) => {
        counts[b] += countBoth(reader.arena, bits, matches);
      });
    },
    collect(docs, owners, count) {
      for (let b = 0; b < length; b++) {
        const bits = bitmaps[b];
        for (let i = 0; i < count; i++) if (hasBit(bits, docs[i])) counts[owners[i] * length + b]++;
      }
    },
  };
}

/** Bits that two bitmaps share. */
function countBoth(arena: Arena, bits: Int32Array, matches: Int32Array): number {
  if (simdFor(arena, bits, matches) !== null) {
    const addresses = [bits.byteOffset, matches.byteOffset];
    return bitKernelsOf(arena).countAll(addresses, 0, bits.byteLength);
  }
  let count = 0;
  for (let w = 0; w < bits.length; w++) {
    const word = bits[w] & matches[w];
    if (word !== 0) count += popcount(word);
  }
  return count;
}

function bitmapsOf(scope: SegmentScope, clauses: readonly Clause[]): readonly Int32Array[] {
  let bitmaps = scope.bitmaps.get(clauses);
  if (bitmaps === undefined) {
    bitmaps = clauses.map((clause) => scope.matches(clause));
    scope.bitmaps.set(clauses, bitmaps);
  }
  return bitmaps;
}
