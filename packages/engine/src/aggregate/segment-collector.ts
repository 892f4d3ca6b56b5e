import type { Deadline } from '../base/time/deadline.ts';
import type { Clause } from '../query/bind/clause.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { Coder } from './count/coder.ts';
import type { DocumentStream, VisitBatch, WholeStream } from './document-stream.ts';
import type { AggPartial } from './partial.ts';

/**
 * Gathers one aggregation over one segment, for many owners at once: an owner is a bucket of the
 * aggregation around it (0 at the top). A collector is fed either by one `collectAll` or by
 * `collect`.
 */
export interface SegmentCollector {
  readonly collect: VisitBatch;
  /** All documents of a bitmap, owner 0. */
  collectAll(documents: WholeStream): void;
}

/** A collector that says what it has gathered. */
export interface MetricCollector<Partial extends AggPartial> extends SegmentCollector {
  partial(owner: number): Partial;
}

/** One segment during an aggregation. */
export interface SegmentScope {
  readonly reader: SegmentReader;
  readonly deadline: Deadline;
  /**
   * Documents that a clause matches, deleted ones perhaps too; not changed while the segment is
   * collected.
   */
  matches(clause: Clause): Int32Array;
  /** Coders by histogram and bitmaps by clauses of an aggregation, made once. */
  readonly coders: Map<object, Coder | null>;
  readonly bitmaps: Map<readonly Clause[], readonly Int32Array[]>;
}

/** The documents of one segment that an aggregation is made of. */
export interface SegmentPart {
  readonly scope: SegmentScope;
  readonly stream: DocumentStream;
  /** Number of documents in the stream, at most. */
  readonly count: number;
}
