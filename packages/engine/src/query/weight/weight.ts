/**
 * A query with the statistics of a snapshot: what it needs to score. From it comes, for each
 * segment, the tree of leaves.
 */
import type { Deadline } from '../../base/deadline.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { Clause } from '../bind/clause.ts';
import { segmentLeaf } from './leaves.ts';
import type { SegmentNode } from './matches.ts';
import type { SnapshotStatistics } from './statistics.ts';

/** A clause over the segments of one snapshot. */
export interface Weight {
  /** The clause over one of the segments; `scored`: its leaves will be asked for scores. */
  node(reader: SegmentReader, scored: boolean): SegmentNode;
}

/**
 * The weight of a clause. `statistics` null: nothing is scored. Its leaves throw limit_exceeded
 * once `deadline` has passed.
 */
export function createWeight(
  clause: Clause,
  statistics: SnapshotStatistics | null,
  deadline: Deadline,
): Weight {
  return {
    node: (reader, scored) => segmentNode(clause, reader, scored ? statistics : null, deadline),
  };
}

/** `statistics` is null where nothing is scored. */
function segmentNode(
  clause: Clause,
  reader: SegmentReader,
  statistics: SnapshotStatistics | null,
  deadline: Deadline,
): SegmentNode {
  if (clause.kind === 'none') return clause;
  if (clause.kind === 'bool') {
    const parts = (list: readonly Clause[], own: SnapshotStatistics | null) =>
      list.map((part) => segmentNode(part, reader, own, deadline));
    return {
      kind: 'bool',
      must: parts(clause.must, statistics),
      should: parts(clause.should, statistics),
      mustNot: parts(clause.mustNot, null),
      filter: parts(clause.filter, null),
      minimum: clause.minimum,
    };
  }
  const part = (one: Clause, own: SnapshotStatistics | null) =>
    segmentNode(one, reader, own, deadline);
  if (clause.kind === 'max') {
    return {
      kind: 'max',
      parts: clause.parts.map((one) => part(one, statistics)),
      tie: clause.tie,
    };
  }
  if (clause.kind === 'demoted') {
    const { factor, negative } = clause;
    const scored = part(clause.part, statistics);
    if (statistics === null) return scored;
    return { kind: 'demoted', part: scored, negative: part(negative, null), factor };
  }
  return { kind: 'leaf', leaf: segmentLeaf(clause, reader, statistics, deadline) };
}
