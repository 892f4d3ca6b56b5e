/**
 * Pages that a column orders, where the total is counted separately or not requested. If the
 * documents are available in the column's order, they are tested one by one until the page is full.
 * Otherwise, and if few documents match, the whole match set is built.
 */
import { hasBit } from '../../bitmap/bitmap.ts';
import { collectFirst } from '../../collect/collect-segment.ts';
import type { SortKey } from '../../collect/order.ts';
import type { KeyOrder, RankedDocs } from '../../collect/ranked-docs.ts';
import type { SegmentSortKey } from '../../collect/segment-order.ts';
import type { DocTest, SegmentNode } from '../../query/weight/segment-node.ts';
import { termShape } from '../../query/weight/term-shape.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { ExecutionPlan } from './execution-plan.ts';
import type { Narrowing } from './narrowing.ts';
import type { SegmentScratch } from './scratch.ts';

/** True when a column alone orders the page, and the kernels count the total or nobody needs it. */
export function stopsEarly({ clause, order, limit, collapse, total }: ExecutionPlan): boolean {
  if (limit === 0 || collapse || order[0]?.kind !== 'field') return false;
  if (order.some(({ kind }) => kind === 'score')) return false;
  return !total || termShape(clause) !== null;
}

/** A segment whose matches are collected. */
export interface TestedSegment {
  readonly reader: SegmentReader;
  readonly scratch: SegmentScratch;
  readonly node: SegmentNode;
  readonly narrowing: Narrowing;
  readonly order: readonly SortKey[];
  readonly keys: readonly SegmentSortKey[];
  readonly segmentKeys: KeyOrder;
}

/** Offers a segment's matches that may be among the first. */
export function collectTested(segment: TestedSegment, top: RankedDocs): void {
  const { scratch, node, order, keys, segmentKeys } = segment;
  const held: Int32Array[] = [];
  let whole: Int32Array | null = null;
  const found = {
    order,
    keys,
    segmentKeys,
    count: node.most,
    test: livingTest(segment, held),
    score: null,
    constant: 0,
    scores: scratch.scores,
    bitmaps: scratch.bitmaps,
    deadline: scratch.deadline,
    get matches() {
      if (whole === null) held.push((whole = wholeMatches(segment)));
      return whole;
    },
  };
  collectFirst(found, top);
  for (const bits of held) scratch.bitmaps.give(bits);
}

/** Tests documents by the query, the filters and the deletes; made when first asked. */
function livingTest({ reader, scratch, node, narrowing }: TestedSegment, held: Int32Array[]) {
  let matches: DocTest | null = null;
  let filters: readonly Int32Array[] = [];
  const { deleted } = reader;
  return (doc: number): boolean => {
    if (matches === null) {
      matches = node.test(scratch, held);
      filters = narrowing.bitmaps(reader, scratch, held);
    }
    for (let i = 0; i < filters.length; i++) if (!hasBit(filters[i], doc)) return false;
    return matches(doc) && (deleted === null || !hasBit(deleted, doc));
  };
}

function wholeMatches({ reader, scratch, node, narrowing }: TestedSegment): Int32Array {
  const matches = node.matches(scratch);
  narrowing.apply(matches, reader, scratch);
  if (reader.deleted !== null) scratch.bitmaps.andNot(matches, reader.deleted);
  return matches;
}
