/**
 * Which segments of an index with windows can have matches: a range filter on the window field that
 * every match fulfills excludes whole windows.
 */
import type { Clause, NumberRange } from '../../query/bind/clause.ts';
import { type WindowLayout, windowRange } from '../../schema/windows.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';

/** Ranges are intersected up to this many pairs; beyond, the shorter list is a good bound. */
const MOST_PAIRS = 4096;

/** Whether a segment can have matches. */
export type Reachable = (segment: Pick<SegmentReader, 'entry'>) => boolean;

const everySegment: Reachable = () => true;

/** The segments that can have documents that match all of the clauses. */
export function reachableSegments(
  windows: WindowLayout | null,
  clauses: readonly Clause[],
): Reachable {
  if (windows === null) return everySegment;
  const ranges = allowedByAll(clauses, windows.field);
  if (ranges === null) return everySegment;
  return ({ entry: { window } }) => {
    if (window === undefined) return true;
    if (window === null) return false;
    const own = windowRange(window, windows.every);
    return ranges.some(({ lower, upper }) => lower <= own.upper && upper >= own.lower);
  };
}

/** The values of a field that documents of a clause have; null: no restriction. */
function allowedBy(clause: Clause, field: number): readonly NumberRange[] | null {
  if (clause.kind === 'numbers') return clause.field.id === field ? clause.ranges : null;
  if (clause.kind !== 'bool') return null;
  const required = allowedByAll([...clause.must, ...clause.filter], field);
  if (clause.minimum < 1) return required;
  return intersection(required, allowedByAny(clause.should, field));
}

function allowedByAll(clauses: readonly Clause[], field: number): readonly NumberRange[] | null {
  return clauses
    .map((clause) => allowedBy(clause, field))
    .reduce<readonly NumberRange[] | null>(intersection, null);
}

function allowedByAny(clauses: readonly Clause[], field: number): readonly NumberRange[] | null {
  const lists = clauses.map((clause) => allowedBy(clause, field));
  return lists.every((list) => list !== null) ? lists.flat() : null;
}

function intersection(
  a: readonly NumberRange[] | null,
  b: readonly NumberRange[] | null,
): readonly NumberRange[] | null {
  if (a === null || b === null) return a ?? b;
  if (a.length * b.length > MOST_PAIRS) return a.length < b.length ? a : b;
  return a.flatMap((one) =>
    b.flatMap((other) => {
      const lower = one.lower > other.lower ? one.lower : other.lower;
      const upper = one.upper < other.upper ? one.upper : other.upper;
      return lower > upper ? [] : [{ lower, upper }];
    }),
  );
}
