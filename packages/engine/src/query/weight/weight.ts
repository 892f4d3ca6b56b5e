/**
 * A query with the statistics of a snapshot: what it needs to score. From it comes, for each
 * segment, the tree of leaves.
 */
import type { Deadline } from '../../base/time/deadline.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { Clause } from '../bind/clause.ts';
import type { ClauseScope } from '../clauses/module.ts';
import { isCompoundModule, moduleOf } from '../clauses/registry.ts';
import { leafNode, type SegmentNode } from './segment-node.ts';
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
    node: (reader, scored) =>
      segmentNode(clause, { reader, statistics: scored ? statistics : null, deadline }),
  };
}

function segmentNode(clause: Clause, scope: ClauseScope): SegmentNode {
  const module = moduleOf(clause);
  if (!isCompoundModule(module)) {
    return leafNode(module.leaf(clause, scope), scope.reader.docs, scope.statistics !== null);
  }
  const unscored = { ...scope, statistics: null };
  const open = (part: Clause, scored: boolean) => segmentNode(part, scored ? scope : unscored);
  return module.node(clause, open, scope);
}
