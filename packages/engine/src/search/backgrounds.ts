import type { AggSpec, AggSpecs } from '@lakehouse-search/contract';
import type { Background, BackgroundCounts } from '../aggregate/aggregation.ts';
import { type BucketKey, keyToJson } from '../aggregate/bucket-key.ts';
import type { AggPartial, BucketsPartial } from '../aggregate/partial.ts';

/** Aggregates over all documents of the index that the user may read. */
type AggregateAll = (
  aggs: AggSpecs,
) => Promise<{ readonly merged: readonly AggPartial[]; readonly total: number }>;

/** Collects keys by background, to count all of them at once: exact over all shards. */
export class Backgrounds {
  readonly #keys = new Map<Background, Set<BucketKey>>();
  readonly #counts = new Map<Background, BackgroundCounts>();

  /** Counts of a background, once `read` has been called after the first call for it. */
  readonly of = (background: Background, keys: Iterable<BucketKey>): BackgroundCounts | null => {
    const counts = this.#counts.get(background);
    if (counts !== undefined) return counts;
    const known = this.#keys.get(background) ?? new Set();
    for (const key of keys) known.add(key);
    this.#keys.set(background, known);
    return null;
  };

  /** Counts the keys collected since the last call; false: there are none. */
  async read(aggregateAll: AggregateAll): Promise<boolean> {
    const entries = [...this.#keys];
    if (entries.length === 0) return false;
    this.#keys.clear();
    const specs = entries.map(([background, keys], i) => [`${i}`, specOf(background, keys)]);
    const { merged, total } = await aggregateAll(Object.fromEntries(specs));
    entries.forEach(([background], i) => {
      this.#counts.set(background, countsOf(background, merged[i] as BucketsPartial, total));
    });
    return true;
  }
}

function specOf({ field, filter }: Background, keys: Iterable<BucketKey>): AggSpec {
  const include = Array.from(keys, (key) => keyToJson(field, key));
  const values = { terms: { field: field.name, include } };
  return filter === null ? values : { filter, aggs: { values } };
}

function countsOf(
  { filter }: Background,
  partial: BucketsPartial | undefined,
  total: number,
): BackgroundCounts {
  const filtered = filter === null ? undefined : partial?.buckets.get(0n);
  const values = filter === null ? partial : (filtered?.subs[0] as BucketsPartial | undefined);
  return {
    docs: filter === null ? total : (filtered?.count ?? 0),
    count: (key) => values?.buckets.get(key)?.count ?? 0,
  };
}
