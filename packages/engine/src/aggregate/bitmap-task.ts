/** Buckets that are bitmaps of a segment: ranges, a filter, documents without a value. */

import { bitKernelsOf, simdFor } from '../bitmap/bit-kernels.ts';
import { hasBit, popcount } from '../bitmap/bitmap.ts';
import type { Clause } from '../query/bind/clause.ts';
import { I64_MAX, I64_MIN } from '../schema/date-value.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { Arena } from '../storage/directory.ts';
import type { AggRange, Aggregation, BucketKey } from './aggregation.ts';
import { splitStream, type WholeStream } from './document-stream.ts';
import type { AggPartial, PartialBucket } from './partial.ts';
import type { SegmentCollector, SegmentPart, SegmentScope } from './segment-collector.ts';
import type { AggregationRun, AggregationTask } from './task.ts';

type Mapped = Extract<Aggregation, { readonly kind: 'range' | 'filter' | 'missing' }>;

/** A task whose buckets are known before the first document. */
export function bitmapTask(
  run: AggregationRun,
  aggregation: Mapped,
  parts: readonly SegmentPart[],
  owners: number,
): AggregationTask {
  const length = aggregation.kind === 'range' ? aggregation.ranges.length : 1;
  const counts = new Float64Array(owners * length);
  const bitmaps = parts.map(({ scope }) => bitmapsOf(scope, aggregation));
  const collectors = parts.map(({ scope }, i) => bitmapCounter(scope, bitmaps[i], counts));
  const nested = () => {
    if (aggregation.subs.length === 0) return [];
    const split = parts.map(({ scope, stream, count }, i): SegmentPart => {
      return { scope, stream: splitStream(stream, bitmaps[i]), count: count * length };
    });
    return run.evaluate(aggregation.subs, split, owners * length);
  };
  return {
    collectors,
    partials() {
      const subs = nested();
      return Array.from({ length: owners }, (_, owner): AggPartial => {
        const buckets = new Map<BucketKey, PartialBucket>();
        for (let b = 0; b < length; b++) {
          const id = owner * length + b;
          const own = subs.map((partials) => partials[id]);
          buckets.set(BigInt(b), { count: counts[id], subs: own });
        }
        return { kind: 'buckets', buckets, left: 0, error: 0 };
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

function bitmapsOf(scope: SegmentScope, aggregation: Mapped): readonly Int32Array[] {
  let bitmaps = scope.bitmaps.get(aggregation);
  if (bitmaps === undefined) {
    bitmaps = clausesOf(aggregation).map((clause) => scope.matches(clause));
    scope.bitmaps.set(aggregation, bitmaps);
  }
  return bitmaps;
}

function clausesOf(aggregation: Mapped): readonly Clause[] {
  if (aggregation.kind === 'filter') return [aggregation.clause];
  const { field } = aggregation;
  if (aggregation.kind === 'missing') return [withoutValue(field)];
  return aggregation.ranges.map((range) => inRange(field, range));
}

function inRange(field: FieldPlan, { from, to }: AggRange): Clause {
  if (to === I64_MIN) return { kind: 'none' };
  const range = { lower: from ?? I64_MIN, upper: to === null ? I64_MAX : to - 1n };
  return { kind: 'numbers', boost: 1, field, ranges: [range] };
}

function withoutValue(field: FieldPlan): Clause {
  const mustNot: Clause[] = [{ kind: 'exists', boost: 1, field }];
  return { kind: 'bool', must: [], should: [], mustNot, filter: [], minimum: 0 };
}
