/** Buckets that are bitmaps of a segment: ranges, a filter, documents without a value. */
import { hasBit, popcount } from '../base/bitmap.ts';
import { bitKernelsOf, vectorsFor } from '../bits/bit-kernels.ts';
import type { Clause } from '../query/bind/clause.ts';
import { I64_MAX, I64_MIN } from '../schema/date-value.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { Arena } from '../storage/directory.ts';
import type { AggRange, Aggregation, BucketKey } from './aggregation.ts';
import type { AggPartial, PartialBucket } from './partial.ts';
import {
  collectInBatches,
  type SegmentCollector,
  type SegmentScope,
  SubBatch,
} from './segment-collector.ts';

type Mapped = Extract<Aggregation, { readonly kind: 'range' | 'filter' | 'missing' }>;

/** Collects an aggregation whose buckets are known before the first document. */
export class BitmapCollector implements SegmentCollector {
  readonly #arena: Arena;
  readonly #bitmaps: readonly Int32Array[];
  readonly #subs: readonly SegmentCollector[];
  readonly #batch: SubBatch | null;
  /** By owner x number of buckets + bucket. */
  readonly #counts: number[] = [];

  constructor(scope: SegmentScope, aggregation: Mapped) {
    this.#arena = scope.reader.arena;
    this.#bitmaps = bitmapsOf(scope, aggregation);
    this.#subs = aggregation.subs.map((sub) => scope.collector(sub));
    this.#batch = aggregation.subs.length === 0 ? null : new SubBatch(this.#subs);
  }

  collectAll(matches: Int32Array): void {
    if (this.#batch !== null) {
      collectInBatches(matches, (docs, owners, count) => this.collect(docs, owners, count));
      return;
    }
    this.#bitmaps.forEach((bits, i) => {
      this.#counts[i] = countBoth(this.#arena, bits, matches);
    });
  }

  collect(docs: Int32Array, owners: Int32Array, count: number): void {
    const { length } = this.#bitmaps;
    for (let b = 0; b < length; b++) {
      const bits = this.#bitmaps[b];
      for (let i = 0; i < count; i++) {
        if (!hasBit(bits, docs[i])) continue;
        const id = owners[i] * length + b;
        this.#counts[id] = (this.#counts[id] ?? 0) + 1;
        this.#batch?.add(docs[i], id);
      }
    }
    this.#batch?.flush();
  }

  partial(owner: number): AggPartial {
    const { length } = this.#bitmaps;
    const buckets = new Map<BucketKey, PartialBucket>();
    for (let b = 0; b < length; b++) {
      const id = owner * length + b;
      const subs = this.#subs.map((sub) => sub.partial(id));
      buckets.set(BigInt(b), { count: this.#counts[id] ?? 0, subs });
    }
    return { kind: 'buckets', buckets, left: 0, error: 0 };
  }
}

/** Bits that two bitmaps share. */
function countBoth(arena: Arena, bits: Int32Array, matches: Int32Array): number {
  if (vectorsFor(arena, bits, matches) !== null) {
    const places = [bits.byteOffset, matches.byteOffset];
    return bitKernelsOf(arena).countAll(places, 0, bits.byteLength);
  }
  let count = 0;
  for (let w = 0; w < bits.length; w++) {
    const word = bits[w] & matches[w];
    if (word !== 0) count += popcount(word);
  }
  return count;
}

function bitmapsOf(scope: SegmentScope, aggregation: Mapped): readonly Int32Array[] {
  if (aggregation.kind === 'filter') return [scope.matches(aggregation.clause)];
  const { field } = aggregation;
  if (aggregation.kind === 'missing') return [scope.matches(withoutValue(field))];
  return aggregation.ranges.map((range) => scope.matches(inRange(field, range)));
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
