/** Buckets of terms and histograms over one segment. */
import { countBits } from '../base/bitmap.ts';
import { LIMITS } from '../base/limits.ts';
import type { Aggregation, BucketKey } from './aggregation.ts';
import { BucketIds } from './bucket-ids.ts';
import { tooManyBuckets, tooManyValues } from './bucket-limit.ts';
import { type Coder, valueCoder } from './coder.ts';
import { histogramCoder } from './histogram-coder.ts';
import { type AggPartial, addBucket, type PartialBucket } from './partial.ts';
import {
  BATCH_DOCS,
  collectInBatches,
  type SegmentCollector,
  type SegmentScope,
  SubBatch,
} from './segment-collector.ts';

type Coded = Extract<Aggregation, { readonly kind: 'terms' | 'date_histogram' }>;

/** Up to so many codes buckets of the top have theirs as numbers. */
const DENSE_OWNERS = 65_536;

/** A bucket of the segment: its code (-1: documents without a value), documents, number. */
interface Found {
  readonly code: number;
  readonly count: number;
  readonly id: number;
}

/** Documents of a segment by code, and those without a value. */
interface WholeCounts {
  readonly counts: Int32Array;
  readonly missing: number;
}

/** Collects a terms or a date_histogram aggregation. */
export class CodeCollector implements SegmentCollector {
  readonly #aggregation: Coded;
  readonly #alone: boolean;
  readonly #coder: Coder | null;
  readonly #missing: BucketKey | null;
  readonly #most: number;
  readonly #subs: readonly SegmentCollector[];
  readonly #batch: SubBatch | null;
  readonly #ids: BucketIds;
  readonly #codes: number[] = [];
  #filled: Int32Array | null = null;
  #counts = new Int32Array(64);
  /** The counts of owner 0 by code + 1 where its buckets are numbered so. */
  #dense: Int32Array | null = null;
  /** The counts of owner 0 by code where they were made at once, and of those without a value. */
  #whole: WholeCounts | null = null;

  constructor(scope: SegmentScope, aggregation: Coded, nested: boolean) {
    const { kind, subs } = aggregation;
    this.#aggregation = aggregation;
    this.#alone = scope.alone;
    this.#coder =
      kind === 'terms'
        ? valueCoder(scope.reader, aggregation.field)
        : histogramCoder(scope.reader, aggregation);
    this.#missing = kind === 'terms' ? aggregation.missing : null;
    const few = kind === 'date_histogram' && !nested;
    this.#most = few ? LIMITS.aggBuckets : LIMITS.aggNestedBuckets;
    this.#subs = subs.map((sub) => scope.collector(sub));
    this.#batch = subs.length === 0 ? null : new SubBatch(this.#subs);
    this.#ids = new BucketIds(this.#coder?.size ?? 0);
  }

  collectAll(matches: Int32Array): void {
    const counts = this.#subs.length > 0 ? null : (this.#coder?.count(matches) ?? null);
    if (counts === null) {
      const dense = this.#coder !== null && this.#coder.fill !== null;
      if (dense && this.#coder!.size < DENSE_OWNERS) this.#collectDense(this.#coder!, matches);
      else collectInBatches(matches, (docs, owners, count) => this.collect(docs, owners, count));
      return;
    }
    const counted = () => counts.reduce((sum, count) => sum + count, 0);
    const missing = this.#missing === null ? 0 : countBits(matches) - counted();
    this.#whole = { counts, missing };
  }

  /** All documents of owner 0, whose buckets are numbered by their codes: 0 is that of none. */
  #collectDense({ fill, size }: Coder, matches: Int32Array): void {
    const numbers = new Int32Array(size + 1);
    const [filled, ids] = [this.#room(), new Int32Array(BATCH_DOCS)];
    const least = this.#missing === null ? 0 : -1;
    this.#dense = numbers;
    collectInBatches(matches, (docs, _, count) => {
      fill!(docs, count, filled);
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const code = filled[i];
        if (code < least) continue;
        numbers[code + 1]++;
        docs[kept] = docs[i];
        ids[kept++] = code + 1;
      }
      for (const sub of this.#subs) sub.collect(docs, ids, kept);
    });
  }

  collect(docs: Int32Array, owners: Int32Array, count: number): void {
    const coder = this.#coder;
    if (coder === null || coder.fill === null) this.#collectAny(docs, owners, count);
    else {
      coder.fill(docs, count, this.#room());
      this.#addFilled(docs, owners, count);
    }
    this.#batch?.flush();
  }

  #addFilled(docs: Int32Array, owners: Int32Array, count: number): void {
    const filled = this.#room();
    const least = this.#missing === null ? 0 : -1;
    for (let i = 0; i < count; i++) {
      if (filled[i] >= least) this.#add(docs[i], owners[i], filled[i]);
    }
  }

  #collectAny(docs: Int32Array, owners: Int32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const found = this.#coder?.read(docs[i], this.#codes) ?? 0;
      for (let j = 0; j < found; j++) this.#add(docs[i], owners[i], this.#codes[j]);
      if (found === 0 && this.#missing !== null) this.#add(docs[i], owners[i], -1);
    }
  }

  /** Codes of a batch. */
  #room(): Int32Array {
    this.#filled ??= new Int32Array(BATCH_DOCS);
    return this.#filled;
  }

  #add(doc: number, owner: number, code: number): void {
    const id = this.#ids.id(owner, code);
    if (id >= this.#counts.length) this.#grow();
    this.#counts[id]++;
    this.#batch?.add(doc, id);
  }

  #grow(): void {
    const { kind } = this.#aggregation;
    if (this.#ids.count > this.#most && (kind !== 'terms' || this.#batch !== null)) {
      throw this.#tooMany();
    }
    const counts = new Int32Array(this.#counts.length * 2);
    counts.set(this.#counts);
    this.#counts = counts;
  }

  partial(owner: number): AggPartial {
    const all = this.#whole === null ? this.#found(owner) : this.#foundWhole(this.#whole);
    const { kept, left, error } = this.#keep(all);
    const buckets = new Map<BucketKey, PartialBucket>();
    for (const { code, count, id } of kept) {
      const key = code < 0 ? this.#missing! : this.#coder!.key(code);
      addBucket(buckets, key, { count, subs: this.#subs.map((sub) => sub.partial(id)) });
    }
    return { kind: 'buckets', buckets, left, error };
  }

  #found(owner: number): Found[] {
    const found: Found[] = [];
    this.#dense?.forEach((count, id) => {
      if (count > 0) found.push({ code: id - 1, count, id });
    });
    this.#ids.forEach(owner, (code, id) => found.push({ code, count: this.#counts[id], id }));
    return found;
  }

  #foundWhole({ counts, missing }: WholeCounts): Found[] {
    const found: Found[] = [];
    for (let code = 0; code < counts.length; code++) {
      if (counts[code] > 0) found.push({ code, count: counts[code], id: 0 });
    }
    if (missing > 0) found.push({ code: -1, count: missing, id: 0 });
    return found;
  }

  /**
   * What goes on: all, or, of a segment that stands alone, the first ones in the order asked for,
   * or the most frequent of very many (then others may have more documents elsewhere: `error`).
   */
  #keep(found: Found[]): { kept: Found[]; left: number; error: number } {
    const aggregation = this.#aggregation;
    const all = { kept: found, left: 0, error: 0 };
    if (aggregation.kind !== 'terms') {
      if (found.length > this.#most) throw this.#tooMany();
      return all;
    }
    const { by, desc } = aggregation.order;
    const falling = by === 'count' && desc;
    const exact = this.#alone && this.#missing === null && this.#coder?.ordered === true;
    if (!falling || !(exact || found.length > this.#most)) {
      if (found.length > this.#most) throw this.#tooMany();
      return all;
    }
    const room = exact ? aggregation.size : this.#most;
    if (found.length <= room) return all;
    found.sort((a, b) => b.count - a.count || a.code - b.code);
    const kept = found.slice(0, room);
    const left = found.slice(room).reduce((sum, { count }) => sum + count, 0);
    return { kept, left, error: exact ? 0 : kept[room - 1].count };
  }

  #tooMany() {
    const { name } = this.#aggregation;
    return this.#most === LIMITS.aggBuckets ? tooManyBuckets(name) : tooManyValues(name);
  }
}
