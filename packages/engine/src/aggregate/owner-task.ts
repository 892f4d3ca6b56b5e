/**
 * An aggregation with too many codes to count for all owners at once: it is evaluated owner after
 * owner, each over a list of its own documents. Lists are made for as many owners as fit a bounded
 * number of documents (4 bytes each), then for the next ones.
 */
import { LIMITS } from '../base/limits.ts';
import type { Aggregation } from './aggregation.ts';
import { tooMany } from './bucket-limit.ts';
import { listStream } from './document-stream.ts';
import type { AggPartial } from './partial.ts';
import type { SegmentPart } from './segment-collector.ts';
import type { AggregationRun, AggregationTask } from './task.ts';

/** Documents that lists hold at once; a single owner may have more. */
const LISTED_DOCS = 1 << 23;

/** Evaluates an aggregation for each owner by itself. */
export class OwnerTask implements AggregationTask {
  readonly collectors: readonly null[];
  readonly #run: AggregationRun;
  readonly #aggregation: Aggregation;
  readonly #parts: readonly SegmentPart[];
  readonly #owners: number;

  constructor(
    run: AggregationRun,
    aggregation: Aggregation,
    parts: readonly SegmentPart[],
    owners: number,
  ) {
    this.collectors = parts.map(() => null);
    this.#run = run;
    this.#aggregation = aggregation;
    this.#parts = parts;
    this.#owners = owners;
  }

  partials(): readonly AggPartial[] {
    const sizes = this.#parts.map((part) => this.#sizes(part));
    const partials: AggPartial[] = [];
    let buckets = 0;
    while (partials.length < this.#owners) {
      const from = partials.length;
      const to = this.#roundEnd(sizes, from);
      const lists = this.#parts.map((part, i) => listDocs(part, sizes[i], from, to));
      for (let owner = from; owner < to; owner++) {
        const partial = this.#evaluate(lists.map((list) => list[owner - from]));
        if ('buckets' in partial) buckets += partial.buckets.size;
        if (buckets > LIMITS.aggNestedBuckets)
          throw tooMany(this.#aggregation.name, 'aggNestedBuckets');
        partials.push(partial);
      }
    }
    return partials;
  }

  #evaluate(lists: readonly Int32Array[]): AggPartial {
    const parts = this.#parts.flatMap(({ scope }, i): SegmentPart[] => {
      const docs = lists[i];
      if (docs.length === 0) return [];
      return [{ scope, stream: listStream(docs, this.#run.deadline), count: docs.length }];
    });
    if (parts.length === 0) return this.#aggregation.empty();
    return this.#run.evaluate([this.#aggregation], parts, 1)[0][0];
  }

  /** Documents by owner. */
  #sizes({ stream }: SegmentPart): Int32Array {
    const sizes = new Int32Array(this.#owners);
    stream.read((_, owners, count) => {
      for (let i = 0; i < count; i++) sizes[owners[i]]++;
    });
    return sizes;
  }

  /** The owner at which the round that begins with `from` ends. */
  #roundEnd(sizes: readonly Int32Array[], from: number): number {
    let docs = 0;
    let to = from;
    do {
      for (const size of sizes) docs += size[to];
      to++;
    } while (to < this.#owners && docs + sizes.reduce((sum, s) => sum + s[to], 0) <= LISTED_DOCS);
    return to;
  }
}

/** The documents of owners from .. to - 1, a list each. */
function listDocs(
  { stream }: SegmentPart,
  sizes: Int32Array,
  from: number,
  to: number,
): readonly Int32Array[] {
  const starts = new Int32Array(to - from + 1);
  for (let i = 0; i < to - from; i++) starts[i + 1] = starts[i] + sizes[from + i];
  const docs = new Int32Array(starts[to - from]);
  const next = starts.slice();
  stream.read((batch, owners, count) => {
    for (let i = 0; i < count; i++) {
      const owner = owners[i];
      if (owner >= from && owner < to) docs[next[owner - from]++] = batch[i];
    }
  });
  return Array.from({ length: to - from }, (_, i) => docs.subarray(starts[i], starts[i + 1]));
}
