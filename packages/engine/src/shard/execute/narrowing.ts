import type { Deadline } from '../../base/time/deadline.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { clauseKey } from '../../query/clauses/clause-key.ts';
import { createWeight, type Weight } from '../../query/weight/weight.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { FilterCache } from './filter-cache.ts';
import type { SegmentScratch } from './scratch.ts';

/** A clause that all hits match and that does not score. */
interface Filter {
  readonly weight: Weight;
  /** null: its matches are not cached. */
  readonly key: string | null;
}

/** What narrows a search without scoring: the tenant filter, then the filter of the request. */
export function narrowingClauses({
  tenantFilter,
  filter,
}: {
  readonly tenantFilter: Clause | null;
  readonly filter: Clause | null;
}): readonly Clause[] {
  return [tenantFilter, filter].filter((clause) => clause !== null);
}

/** Filters of a search, each looked up in the cache by itself. */
export class Narrowing {
  readonly #filters: readonly Filter[];
  readonly #cache: FilterCache | null;

  constructor(clauses: readonly Clause[], cache: FilterCache | null, deadline: Deadline) {
    this.#cache = cache;
    this.#filters = clauses.map((clause) => {
      const key = cache === null ? null : clauseKey(clause);
      return { weight: createWeight(clause, null, deadline), key };
    });
  }

  /** Clears the bits of the documents that some filter does not match. */
  apply(bits: Int32Array, reader: SegmentReader, scratch: SegmentScratch): void {
    for (const filter of this.#filters) {
      const cached = this.#cached(reader, filter.key);
      if (cached !== null) scratch.bitmaps.and(bits, cached);
      else this.#compute(filter, bits, reader, scratch);
    }
  }

  /**
   * The matches of each filter, which nobody may change. Bitmaps that the caller has to give back
   * are added to `taken`.
   */
  bitmaps(
    reader: SegmentReader,
    scratch: SegmentScratch,
    taken: Int32Array[],
  ): readonly Int32Array[] {
    return this.#filters.map(({ weight, key }) => {
      const cached = this.#cached(reader, key);
      if (cached !== null) return cached;
      const matches = weight.node(reader, false).matches(scratch);
      this.#save(reader, key, matches);
      taken.push(matches);
      return matches;
    });
  }

  #cached(reader: SegmentReader, key: string | null): Int32Array | null {
    return key === null ? null : (this.#cache?.get(reader, key) ?? null);
  }

  #save(reader: SegmentReader, key: string | null, matches: Int32Array): void {
    if (key !== null) this.#cache?.put(reader, key, matches);
  }

  #compute(
    { weight, key }: Filter,
    bits: Int32Array,
    reader: SegmentReader,
    scratch: SegmentScratch,
  ): void {
    const matches = weight.node(reader, false).matches(scratch);
    this.#save(reader, key, matches);
    scratch.bitmaps.and(bits, matches);
    scratch.bitmaps.give(matches);
  }
}
