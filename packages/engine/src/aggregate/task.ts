import type { Deadline } from '../base/time/deadline.ts';
import type { Aggregation } from './aggregation.ts';
import type { AggPartial } from './partial.ts';
import type { MetricCollector, SegmentCollector, SegmentPart } from './segment-collector.ts';

/** One aggregation over the documents of some segments, for a number of owners. */
export interface AggregationTask {
  /** By segment: what its documents have to be fed to; null: nothing. */
  readonly collectors: readonly (SegmentCollector | null)[];
  /** By owner, once the collectors have been fed. */
  partials(): readonly AggPartial[];
}

/** What is the same for all aggregations of a request. */
export interface AggregationRun {
  readonly deadline: Deadline;
  /**
   * True: there are no other documents, so only the buckets that the answer shows are made, and
   * partials cannot be merged with others. False: partials hold all that merging needs.
   */
  readonly final: boolean;
  /** The partials of aggregations over some segments' documents: by aggregation, by owner. */
  evaluate(
    aggregations: readonly Aggregation[],
    parts: readonly SegmentPart[],
    owners: number,
  ): readonly (readonly AggPartial[])[];
}

/** A task whose collectors say what they gathered: each segment's partials are merged by owner. */
export function metricTask<Partial extends AggPartial>(
  { empty, merge }: Pick<Aggregation<Partial>, 'empty' | 'merge'>,
  collectors: readonly MetricCollector<Partial>[],
  owners: number,
): AggregationTask {
  const partials = () =>
    Array.from({ length: owners }, (_, owner) => {
      const merged = empty();
      for (const collector of collectors) merge(merged, collector.partial(owner));
      return merged;
    });
  return { collectors, partials };
}
