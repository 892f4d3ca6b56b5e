/**
 * Aggregations over the matches of some segments. Level by level: the buckets of a level are
 * counted over all segments, those of the answer are chosen, and only their documents go on to what
 * is nested. So memory follows the answer and the documents, not the number of distinct values.
 */
import type { Deadline } from '../base/time/deadline.ts';
import type { Clause } from '../query/bind/clause.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { Aggregation } from './aggregation.ts';
import { bitmapStream, type WholeStream } from './document-stream.ts';
import type { AggPartial } from './partial.ts';
import type { SegmentCollector, SegmentPart } from './segment-collector.ts';
import type { AggregationRun } from './task.ts';

/** The documents of a segment that are aggregated. */
export interface MatchedDocs {
  readonly reader: SegmentReader;
  /** A bitmap without deleted documents. */
  readonly matches: Int32Array;
  /** Their number. */
  readonly count: number;
  /** The documents that a clause matches; deleted ones may be among them. */
  matchesOf(clause: Clause): Int32Array;
}

/**
 * The partials of aggregations over all documents there are: they hold what the answer shows and
 * cannot be merged with others. Counts are exact. Throws limit_exceeded for too many buckets, and
 * when time is over.
 */
export function aggregateAll(
  segments: readonly MatchedDocs[],
  aggregations: readonly Aggregation[],
  deadline: Deadline,
): readonly AggPartial[] {
  return evaluateRoots(segments, aggregations, { deadline, final: true, evaluate });
}

/**
 * The partials of aggregations over one segment, or one shard, with all that merging them with
 * others needs: every bucket. Throws limit_exceeded for more than LIMITS.aggNestedBuckets of one
 * aggregation, and when time is over.
 */
export function aggregatePart(
  segments: readonly MatchedDocs[],
  aggregations: readonly Aggregation[],
  deadline: Deadline,
): readonly AggPartial[] {
  return evaluateRoots(segments, aggregations, { deadline, final: false, evaluate });
}

/** One after another: each may take much memory. */
function evaluateRoots(
  segments: readonly MatchedDocs[],
  aggregations: readonly Aggregation[],
  run: AggregationRun,
): readonly AggPartial[] {
  const { deadline } = run;
  const parts = segments.map(({ reader, matches, count, matchesOf }): SegmentPart => {
    const made = { coders: new Map(), bitmaps: new Map() };
    const scope = { reader, deadline, matches: (clause: Clause) => matchesOf(clause), ...made };
    return { scope, stream: bitmapStream(matches, deadline), count };
  });
  return aggregations.map((aggregation) => run.evaluate([aggregation], parts, 1)[0][0]);
}

function evaluate(
  this: AggregationRun,
  aggregations: readonly Aggregation[],
  parts: readonly SegmentPart[],
  owners: number,
): readonly (readonly AggPartial[])[] {
  const tasks = aggregations.map((aggregation) => aggregation.collect(this, parts, owners));
  parts.forEach((part, i) => {
    const collectors = tasks.map((task) => task.collectors[i]).filter((c) => c !== null);
    feed(part, collectors);
  });
  return tasks.map((task) => task.partials());
}

function feed({ scope, stream }: SegmentPart, collectors: readonly SegmentCollector[]): void {
  if (collectors.length === 0) return;
  if (stream.matches === null) {
    stream.read((docs, owners, count) => {
      for (const collector of collectors) collector.collect(docs, owners, count);
    });
    return;
  }
  for (const collector of collectors) {
    scope.deadline.check();
    collector.collectAll(stream as WholeStream);
  }
}
