import type { Aggregation } from './aggregation.ts';
import { noDistinct } from './distinct.ts';
import { type AggPartial, noStats, type PartialBucket } from './partial.ts';
import { noDigest } from './t-digest.ts';

/** What an aggregation knows of no document. */
export function emptyPartial(aggregation: Aggregation): AggPartial {
  switch (aggregation.kind) {
    case 'stats':
      return noStats();
    case 'cardinality':
      return { kind: 'distinct', distinct: noDistinct() };
    case 'percentiles':
      return { kind: 'digest', digest: noDigest() };
    case 'terms':
    case 'date_histogram':
      return { kind: 'buckets', buckets: new Map(), left: 0, error: 0 };
    case 'range':
    case 'filter':
    case 'missing': {
      const count = aggregation.kind === 'range' ? aggregation.ranges.length : 1;
      const empty = (): PartialBucket => emptyBucket(aggregation.subs);
      const buckets = Array.from({ length: count }, (_, i) => [BigInt(i), empty()] as const);
      return { kind: 'buckets', buckets: new Map(buckets), left: 0, error: 0 };
    }
  }
}

/** A bucket without documents. */
export const emptyBucket = (subs: readonly Aggregation[]): PartialBucket => ({
  count: 0,
  subs: subs.map(emptyPartial),
});
