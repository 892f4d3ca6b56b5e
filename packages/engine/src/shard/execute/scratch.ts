import type { Deadline } from '../../base/time/deadline.ts';
import { Bitmaps } from '../../bitmap/bitmaps.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';

/** Memory that queries over one segment use again and again. One query at a time. */
export interface SegmentScratch {
  readonly docs: number;
  readonly bitmaps: Bitmaps;
  /** Scores of a range of 256 documents. */
  readonly scores: Float64Array;
  /** When the query that uses it has to be done. */
  deadline: Deadline;
}

const scratches = new WeakMap<SegmentReader, SegmentScratch>();

/**
 * The scratch of an open segment, for a query that has to be done by `deadline`; made at the
 * segment's first query.
 */
export function scratchOf(reader: SegmentReader, deadline: Deadline): SegmentScratch {
  let scratch = scratches.get(reader);
  if (scratch === undefined) {
    const { docs } = reader;
    scratch = {
      docs,
      bitmaps: new Bitmaps(reader.arena, docs),
      scores: new Float64Array(256),
      deadline,
    };
    scratches.set(reader, scratch);
  }
  scratch.deadline = deadline;
  return scratch;
}
