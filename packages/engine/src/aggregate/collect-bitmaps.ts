/** Buckets that are bitmaps of a segment: ranges, a filter, documents without a value. */
import { andNot, fillAll, hasBit, popcount, wordsOf } from '../base/bitmap.ts';
import { I64_MAX, I64_MIN } from '../schema/date-value.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
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
  readonly #bitmaps: readonly Int32Array[];
  readonly #subs: readonly SegmentCollector[];
  readonly #batch: SubBatch | null;
  /** By owner x number of buckets + bucket. */
  readonly #counts: number[] = [];

  constructor(scope: SegmentScope, aggregation: Mapped) {
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
      let count = 0;
      for (let w = 0; w < bits.length; w++) {
        const word = bits[w] & matches[w];
        if (word !== 0) count += popcount(word);
      }
      this.#counts[i] = count;
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

function bitmapsOf(scope: SegmentScope, aggregation: Mapped): Int32Array[] {
  if (aggregation.kind === 'filter') return [scope.matches(aggregation.clause)];
  const { reader } = scope;
  if (aggregation.kind === 'missing') return [withoutValue(reader, aggregation.field)];
  return aggregation.ranges.map((range) => inRange(reader, aggregation.field, range));
}

function inRange(reader: SegmentReader, field: FieldPlan, { from, to }: AggRange): Int32Array {
  const bits = new Int32Array(wordsOf(reader.docs));
  if (to === I64_MIN) return bits;
  reader.numeric(field.id)?.fillRange(from ?? I64_MIN, to === null ? I64_MAX : to - 1n, bits);
  return bits;
}

function withoutValue(reader: SegmentReader, field: FieldPlan): Int32Array {
  const bits = new Int32Array(wordsOf(reader.docs));
  const has = new Int32Array(bits.length);
  const column = field.column === 'ordinal' ? reader.ordinals(field.id) : reader.numeric(field.id);
  column?.fillHas(has);
  fillAll(bits, reader.docs);
  andNot(bits, has);
  return bits;
}
