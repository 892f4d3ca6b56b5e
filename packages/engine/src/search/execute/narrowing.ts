import type { Deadline } from '../../base/deadline.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { matchesOf } from '../../query/weight/matches.ts';
import { createWeight, type Weight } from '../../query/weight/weight.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { clauseKey } from './clause-key.ts';
import type { FilterCache } from './filter-cache.ts';
import type { SegmentScratch } from './scratch.ts';

/** A clause that all hits match and that does not score. */
interface Filter {
  readonly weight: Weight;
  /** null: nothing of it is remembered. */
  readonly key: string | null;
}

/** What narrows a search without scoring: its guard, then its filter. */
export function narrowingClauses(plan: {
  readonly guard?: Clause | null;
  readonly filter: Clause | null;
}): readonly Clause[] {
  const { guard = null, filter } = plan;
  return [guard, filter].filter((clause) => clause !== null);
}

/** Filters of a search, each looked up in the cache by itself. */
export class Narrowing {
  readonly #filters: readonly Filter[];
  readonly #cache: FilterCache | null;

  constructor(
    clauses: readonly Clause[],
    segments: readonly SegmentReader[],
    cache: FilterCache | null,
    deadline: Deadline,
  ) {
    this.#cache = cache;
    this.#filters = clauses.map((clause) => {
      const key = cache === null ? null : clauseKey(clause);
      return { weight: createWeight(clause, segments, deadline), key };
    });
  }

  /** Leaves of `bits`, which are documents of a segment, those that all filters match. */
  apply(bits: Int32Array, reader: SegmentReader, scratch: SegmentScratch): void {
    for (const filter of this.#filters) {
      const known = this.#known(reader, filter.key);
      if (known !== null) scratch.bitmaps.and(bits, known);
      else this.#compute(filter, bits, reader, scratch);
    }
  }

  /**
   * The documents of each filter, which nobody may change; bitmaps that are not of the cache are
   * added to `held`.
   */
  bitmaps(
    reader: SegmentReader,
    scratch: SegmentScratch,
    held: Int32Array[],
  ): readonly Int32Array[] {
    return this.#filters.map(({ weight, key }) => {
      const known = this.#known(reader, key);
      if (known !== null) return known;
      const matches = matchesOf(weight.node(reader, false), scratch);
      this.#keep(reader, key, matches);
      held.push(matches);
      return matches;
    });
  }

  #known(reader: SegmentReader, key: string | null): Int32Array | null {
    return key === null ? null : (this.#cache?.get(reader, key) ?? null);
  }

  #keep(reader: SegmentReader, key: string | null, matches: Int32Array): void {
    if (key !== null) this.#cache?.put(reader, key, matches);
  }

  #compute(
    { weight, key }: Filter,
    bits: Int32Array,
    reader: SegmentReader,
    scratch: SegmentScratch,
  ): void {
    const matches = matchesOf(weight.node(reader, false), scratch);
    this.#keep(reader, key, matches);
    scratch.bitmaps.and(bits, matches);
    scratch.bitmaps.give(matches);
  }
}
