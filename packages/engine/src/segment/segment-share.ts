/**
 * Several threads can build the structures of one segment. Each builds a share over the same
 * documents: some of the fields, and perhaps the rows. Components do not refer to each other, so
 * the division does not change the segment.
 */
import type { TermRange } from '../inverted/merge.ts';
import type { Component, SegmentEntry } from './entry.ts';

/** What one thread makes of a segment. Plain values: a thread receives it. */
export interface SegmentShare {
  /** Ids of fields. */
  readonly fields: readonly number[];
  /** Also the stored values, locators, row hashes and keys. */
  readonly rows: boolean;
  /** Of a merge: a part of the terms of the one field, which is written aside. */
  readonly part?: TermRange;
  /** Of a merge: the terms of the one field were written aside in so many parts, to be joined. */
  readonly parts?: number;
}

/** A field or the rows (null), and what it costs to make, in any unit. */
export interface ShareItem {
  readonly field: number | null;
  readonly cost: number;
}

/**
 * Divides items into at most `busy.length` shares of about equal cost: the costliest item first,
 * each to the share with the least so far. `busy` is what each thread has to do besides. Shares may
 * be empty.
 */
export function divideSegment(
  items: readonly ShareItem[],
  busy: readonly number[],
): readonly SegmentShare[] {
  const loads = [...busy];
  const own: (number | null)[][] = busy.map(() => []);
  for (const { field, cost } of items.toSorted((a, b) => b.cost - a.cost)) {
    const least = loads.indexOf(Math.min(...loads));
    loads[least] += cost;
    own[least].push(field);
  }
  return own.map((fields) => ({
    fields: fields.filter((field) => field !== null).sort((a, b) => a - b),
    rows: fields.includes(null),
  }));
}

/** Whether nothing is to be made. */
export const isEmptyShare = ({ fields, rows }: SegmentShare): boolean =>
  fields.length === 0 && !rows;

/** Components of all shares in the order of a segment that one thread has made. */
export function joinComponents(shares: readonly (readonly Component[])[]): readonly Component[] {
  const place = ({ field }: Component) => (field < 0 ? Number.POSITIVE_INFINITY : field);
  return shares.flat().sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

/** The entry of a segment whose shares were made apart; every share has all its documents. */
export function joinShares(shares: readonly SegmentEntry[]): SegmentEntry {
  const components = joinComponents(shares.map((share) => share.components));
  const { hashed } = shares.find((share) => share.hashed !== undefined) ?? shares[0];
  return { ...shares[0], components, ...(hashed === undefined ? {} : { hashed }) };
}
