import type { Clause } from '../query/bind/clause.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { Aggregation } from './aggregation.ts';
import { BitmapCollector } from './collect-bitmaps.ts';
import { CodeCollector } from './collect-codes.ts';
import { statsCollector } from './collect-stats.ts';
import { distinctCollector, percentilesCollector } from './collect-values.ts';
import type { AggPartial } from './partial.ts';
import type { SegmentCollector, SegmentScope } from './segment-collector.ts';

/**
 * The partials of aggregations over the documents of a bitmap (deleted ones are not in it).
 * `matchesOf` says what a filter's clause matches; `alone`: no other segment is merged with this
 * one. Throws limit_exceeded as soon as there are too many buckets.
 */
export function aggregateSegment(
  reader: SegmentReader,
  aggregations: readonly Aggregation[],
  matches: Int32Array,
  matchesOf: (clause: Clause) => Int32Array,
  alone: boolean,
): AggPartial[] {
  const nested: SegmentScope = {
    reader,
    alone,
    matches: matchesOf,
    collector: (sub) => collectorOf(nested, sub, true),
  };
  return aggregations.map((aggregation) => {
    const collector = collectorOf(nested, aggregation, false);
    collector.collectAll(matches);
    return collector.partial(0);
  });
}

function collectorOf(
  scope: SegmentScope,
  aggregation: Aggregation,
  nested: boolean,
): SegmentCollector {
  switch (aggregation.kind) {
    case 'terms':
    case 'date_histogram':
      return new CodeCollector(scope, aggregation, nested);
    case 'range':
    case 'filter':
    case 'missing':
      return new BitmapCollector(scope, aggregation);
    case 'stats':
      return statsCollector(scope.reader, aggregation.field);
    case 'cardinality':
      return distinctCollector(scope.reader, aggregation.field);
    case 'percentiles':
      return percentilesCollector(scope.reader, aggregation.field);
  }
}
