/**
 * The first groups of a collapsed search without a look at every match: the first documents, which
 * pruning finds, name the first groups; then only the documents of these are counted, by the
 * column's codes. Where a few large groups hide the others, all matches have to be grouped.
 */
import { loopsOf } from '../../aggregate/loops/compiled-loops.ts';
import { type CollapsedDoc, groupName } from '../../collect/collapse.ts';
import { closeSize } from '../../collect/group-numbers.ts';
import type { RankedDoc, SortValue } from '../../collect/order.ts';
import { NumericColumn } from '../../columnar/numeric-column.ts';
import type { OrdinalColumn } from '../../columnar/ordinal-column.ts';
import { hasCold } from '../../index/cold-segments.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { Execution, ExecutionPlan } from './execution-plan.ts';
import { withMatched } from './matches.ts';

/** Documents that are found for each group of the page, and then once more by this factor. */
const AHEAD = 16;
/** So many documents are found at most. */
const MOST_DOCS = 4096;

/** Finds documents, by steps. */
type Finds = (
  segments: readonly SegmentReader[],
  plan: ExecutionPlan,
) => Generator<void, Execution>;

/**
 * The first groups, and the number of matching documents; null: all matches have to be grouped.
 * `find` runs the same search without groups.
 */
export function* leadingGroups(
  segments: readonly SegmentReader[],
  plan: ExecutionPlan,
  field: FieldPlan,
  find: Finds,
): Generator<void, Execution | null> {
  const { limit, after, groups } = plan;
  if (limit === 0 || after !== null || groups !== undefined || hasCold(segments)) return null;
  const sizes = segments.map((reader) => groupsOf(reader, field));
  if (sizes.reduce((sum, size) => sum + size, 0) < limit) return null;
  for (let most = AHEAD * limit; most <= MOST_DOCS; most *= AHEAD) {
    const own = { ...plan, collapse: null, limit: most, skip: 0, total: false };
    const { docs } = yield* find(segments, own);
    const found = firstOfGroups(segments, field, docs);
    if (docs.length < most) return { docs: found.slice(0, limit), total: docs.length };
    if (found.length >= limit) return counted(segments, plan, field, found.slice(0, limit));
  }
  return null;
}

/** The first document of each group, in order, with the number of its documents among these. */
function firstOfGroups(
  segments: readonly SegmentReader[],
  field: FieldPlan,
  docs: readonly RankedDoc[],
): readonly CollapsedDoc[] {
  const groups = new Map<string, { doc: RankedDoc; group: SortValue; count: number }>();
  for (const doc of docs) {
    const group = groupOf(segments[doc.segment], field, doc.doc);
    const name = groupName(group);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, { doc, group, count: 1 });
    else known.count++;
  }
  return Array.from(groups.values(), ({ doc, group, count }) => {
    const { segment, score, values, key } = doc;
    return { segment, doc: doc.doc, score, values, key, group, count };
  });
}

const columnOf = (reader: SegmentReader, { id }: FieldPlan): NumericColumn | OrdinalColumn | null =>
  reader.numeric(id) ?? reader.ordinals(id);

function groupOf(reader: SegmentReader, field: FieldPlan, doc: number): SortValue {
  const column = columnOf(reader, field);
  if (column === null || !column.has(doc)) return null;
  return column instanceof NumericColumn ? column.minAt(doc) : column.bytesOf(column.ord(doc));
}

/** How many groups a segment may have; -Infinity: codes cannot count them. */
function groupsOf(reader: SegmentReader, field: FieldPlan): number {
  const column = columnOf(reader, field);
  if (column === null) return 0;
  if (column.multi) return Number.NEGATIVE_INFINITY;
  return column instanceof NumericColumn
    ? (closeSize(column) ?? Number.NEGATIVE_INFINITY)
    : column.size;
}

/** The groups with the numbers of all their documents, and that of all matching ones. */
const counted = (
  segments: readonly SegmentReader[],
  plan: ExecutionPlan,
  field: FieldPlan,
  groups: readonly CollapsedDoc[],
): Execution =>
  withMatched(segments, plan, (matched) => {
    const counts = groups.map(() => 0);
    let total = 0;
    for (const { reader, matches, count } of matched) {
      total += count;
      const countOf = groupCounts(columnOf(reader, field), matches, count);
      groups.forEach(({ group }, i) => {
        counts[i] += countOf(group);
      });
    }
    return { docs: groups.map((group, i) => ({ ...group, count: counts[i] })), total };
  });

/** The number of matching documents of a group of one segment. */
function groupCounts(
  column: NumericColumn | OrdinalColumn | null,
  matches: Int32Array,
  count: number,
): (group: SortValue) => number {
  if (column === null) return (group) => (group === null ? count : 0);
  const loops = loopsOf(column.arena);
  if (!(column instanceof NumericColumn)) {
    const counts = loops.countCodes(column.codes, matches, null, column.size + 1);
    return (group) => {
      if (group === null) return counts[0];
      const at = column.find(group as Uint8Array);
      return at < 0 ? 0 : counts[at + 1];
    };
  }
  const { base, gcd, present } = column;
  const counts = loops.countCodes(column.codes!, matches, present, closeSize(column)!);
  const others = count - counts.reduce((sum, n) => sum + n, 0);
  return (group) => {
    if (group === null) return others;
    const above = BigInt(group as bigint) - base;
    return above < 0n || above % gcd !== 0n ? 0 : (counts[Number(above / gcd)] ?? 0);
  };
}
