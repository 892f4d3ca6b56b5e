import type { CountOrder } from '../aggregation.ts';

/** A bucket that may be among the first: its documents and its rank in the order of keys. */
export interface RankedBucket {
  readonly count: number;
  readonly keyRank: number;
}

/**
 * The first buckets in an order, of buckets that are offered by rising key: a heap with the last of
 * those that are held on top. Holds `limit` of them and nothing of the others.
 */
export class BucketHeap<Bucket extends RankedBucket> {
  readonly #limit: number;
  readonly #order: CountOrder;
  readonly #heap: Bucket[] = [];

  constructor(limit: number, order: CountOrder) {
    this.#limit = limit;
    this.#order = order;
  }

  /** True when a bucket of so many documents that comes now would be held. */
  takes(count: number): boolean {
    if (this.#heap.length < this.#limit) return true;
    const { by, desc } = this.#order;
    if (by === 'key') return desc;
    const last = this.#heap[0].count;
    return desc ? count > last : count < last;
  }

  /** True when no later bucket will be held, whatever its count. */
  get complete(): boolean {
    const { by, desc } = this.#order;
    return by === 'key' && !desc && this.#heap.length === this.#limit;
  }

  /** Holds a bucket that `takes` has let in. */
  add(bucket: Bucket): void {
    if (this.#heap.length < this.#limit) this.#push(bucket);
    else this.#replaceLast(bucket);
  }

  /** The buckets that are held, in order. */
  sorted(): Bucket[] {
    return this.#heap.toSorted((a, b) => this.#compare(a, b));
  }

  #compare(a: Bucket, b: Bucket): number {
    const { by, desc } = this.#order;
    if (by === 'key') return desc ? b.keyRank - a.keyRank : a.keyRank - b.keyRank;
    return (desc ? b.count - a.count : a.count - b.count) || a.keyRank - b.keyRank;
  }

  #push(bucket: Bucket): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(heap[parent], bucket) >= 0) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = bucket;
  }

  #replaceLast(bucket: Bucket): void {
    const heap = this.#heap;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && this.#compare(heap[child + 1], heap[child]) > 0) child++;
      if (this.#compare(bucket, heap[child]) >= 0) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = bucket;
  }
}
