import type { Deadline } from '../base/deadline.ts';
import type { Clause } from '../query/bind/clause.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { Aggregation } from './aggregation.ts';
import type { Coder } from './coder.ts';
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
export interface MetricCollector extends SegmentCollector {
  partial(owner: number): AggPartial;
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
  /** Coders of histograms and bitmaps of ranges, made once per aggregation. */
  readonly coders: Map<Aggregation, Coder | null>;
  readonly bitmaps: Map<Aggregation, readonly Int32Array[]>;
}

/** The documents of one segment that an aggregation is made of. */
export interface SegmentPart {
  readonly scope: SegmentScope;
  readonly stream: DocumentStream;
  /** Number of documents in the stream, at most. */
  readonly count: number;
}
