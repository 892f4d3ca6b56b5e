/**
 * The full consistency check of a segment: every byte against its checksum, then what is said
 * twice against each other. It reads everything and trusts nothing; a whole segment gives no
 * problem.
 */

import { LhsError } from '@lakehouse-search/contract';
import { doubleFromOrdered } from '../base/arrays/ordered-double.ts';
import { compareBytes } from '../base/bytes/byte-order.ts';
import type { NumericColumn } from '../columnar/numeric-column.ts';
import type { OrdinalColumn } from '../columnar/ordinal-column.ts';
import { checkInverted } from '../inverted/check.ts';
import { type BucketMap, shardTable } from '../schema/sharding/bucket-map.ts';
import type { WindowLayout } from '../schema/windows.ts';
import { verifyFramed } from '../storage/frame.ts';
import { checkVectors } from '../vector/check.ts';
import { checkGraph } from '../vector/graph/graph-format.ts';
import { checkWindow } from './check-window.ts';
import type { Component, ComponentKind, SegmentEntry } from './entry.ts';
import { checkHashed, checkKeys, checkLive, type ReportProblem } from './keys/check-keys.ts';
import type { SegmentReader } from './segment-reader.ts';

const WITH_KEYS: ReadonlySet<ComponentKind> = new Set(['core', 'keys', 'live', 'buckets']);

/**
 * The components of a segment in groups that are checked together: opened one after another, they
 * take the memory of the largest.
 */
export function checkGroups({ components }: SegmentEntry): readonly (readonly Component[])[] {
  const groups = Object.values(
    Object.groupBy(components, ({ kind, field }) => {
      if (WITH_KEYS.has(kind)) return 'keys';
      return field < 0 ? kind : String(field);
    }),
  );
  return groups as readonly (readonly Component[])[];
}

/** What the commit says of all segments. */
export interface CheckOptions {
  /** Only the components of one of `checkGroups` are open. */
  readonly part?: boolean;
  readonly shards?: number | undefined;
  readonly map?: BucketMap | undefined;
  readonly windows?: WindowLayout | undefined;
}

/**
 * Checks a segment; `files`: number of data files in the commit's file table. Returns the problems,
 * at most about a hundred, none when it is whole.
 */
export function checkSegment(
  reader: SegmentReader,
  files: number,
  { part = false, shards, map, windows }: CheckOptions = {},
): readonly string[] {
  const problems: string[] = [];
  const report: ReportProblem = (component, problem) => {
    if (problems.length < 100) problems.push(`segment ${reader.id}, ${component}: ${problem}`);
  };
  const step = (component: string, check: () => void): void => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof LhsError) && !(error instanceof RangeError)) throw error;
      report(component, error.message);
    }
  };
  reader.verify((framed) => step(framed.name, () => verifyFramed(framed)));
  if (problems.length > 0) return problems;
  const { components } = reader.entry;
  const has = (wanted: ComponentKind) => !part || components.some(({ kind }) => kind === wanted);
  if (has('core') || has('keys')) {
    step('keys', () => checkKeys(reader, shardTable({ shards, map }), report));
    step('live', () => checkLive(reader, report));
  }
  if (has('hashes')) {
    step('hashes', () => checkHashed(reader, reader.rowHashes.length, report));
  }
  if (has('locators')) step('locators', () => checkLocators(reader, files, report));
  step('stored', () => {
    for (const group of reader.storedGroups()) group.check();
  });
  for (const { kind, field } of components) {
    const name = `${kind} of field ${field}`;
    if (kind === 'text') step(name, () => checkInverted(reader.inverted(field)!));
    if (kind === 'keyword') step(name, () => checkKeywords(reader, field, name, report));
    if (kind === 'numeric') {
      step(name, () => checkNumeric(reader.numeric(field)!, name, report));
      if (field === windows?.field) {
        step(name, () => checkWindow(reader, reader.numeric(field)!, windows, report));
      }
    }
    if (kind === 'ordinal') step(name, () => checkOrdinals(reader.ordinals(field)!, name, report));
    if (kind === 'vector') {
      step(name, () => {
        const vectors = reader.vectors(field)!;
        checkVectors(vectors, (problem) => report(name, problem));
        if (vectors.graph !== null) checkGraph(vectors.graph, (problem) => report(name, problem));
      });
    }
  }
  return problems;
}

function checkLocators(reader: SegmentReader, files: number, report: ReportProblem): void {
  let next = 0;
  reader.locators.forEachRun((doc, count, file, position) => {
    if (doc !== next || count <= 0) report('locators', `run at document ${doc} is out of order`);
    if (file < 0 || file >= files) report('locators', `document ${doc} lies in file ${file}`);
    if (position < 0) report('locators', `document ${doc} lies at row ${position}`);
    next = doc + count;
  });
}

function checkNumeric(column: NumericColumn, name: string, report: ReportProblem): void {
  const key = (value: bigint) => (column.double ? doubleFromOrdered(value) : Number(value));
  const bounds = { lo: key(column.min), hi: key(column.max) };
  let values = 0;
  for (let zone = 0; zone < column.zones; zone++) {
    const end = Math.min((zone + 1) * 1024, column.docs);
    let lo: number | null = null;
    let hi: number | null = null;
    for (let doc = zone * 1024; doc < end; doc++) {
      const count = column.count(doc);
      if (count < 0 || column.has(doc) !== count > 0) report(name, `presence of ${doc}`);
      if (count <= 0) continue;
      values += count;
      const [least, most] = [column.sortKey(doc), column.maxKey(doc)];
      const outside = column.exact
        ? below(least, bounds.lo) || below(bounds.hi, most)
        : column.minAt(doc) < column.min || column.maxAt(doc) > column.max;
      if (outside) report(name, `a value of document ${doc} lies outside of the column's bounds`);
      if (lo === null || below(least, lo)) lo = least;
      if (hi === null || below(hi, most)) hi = most;
    }
    const keys = column.zoneKeys(zone);
    if (!Object.is(keys?.lo ?? null, lo) || !Object.is(keys?.hi ?? null, hi)) {
      report(name, `bounds of zone ${zone}`);
    }
  }
  if (values !== column.values) report(name, `${values} values, expected ${column.values}`);
}

/** Order of sort keys: NaN is above all. */
const below = (a: number, b: number): boolean => a < b || (Number.isNaN(b) && !Number.isNaN(a));

function checkOrdinals(column: OrdinalColumn, name: string, report: ReportProblem): void {
  let last: Uint8Array | null = null;
  column.forEachValue((bytes, length, ord) => {
    if (last !== null && compareBytes(last, 0, last.length, bytes, 0, length) >= 0) {
      report(name, `string ${ord} is not after the one before it`);
    }
    last = bytes.slice(0, length);
  });
  const used = new Uint8Array(column.size);
  let values = 0;
  for (let doc = 0; doc < column.docs; doc++) {
    const bounds = column.zoneOrds(doc >> 10);
    for (let i = 0; i < column.count(doc); i++, values++) {
      const ord = column.ordAt(doc, i);
      if (ord < 0 || ord >= column.size) report(name, `document ${doc} has ordinal ${ord}`);
      else used[ord] = 1;
      if (bounds === null || ord < bounds.lo || ord > bounds.hi) {
        report(name, `document ${doc} lies outside of its zone's bounds`);
      }
    }
  }
  if (used.includes(0)) report(name, `no document has string ${used.indexOf(0)}`);
  if (values !== column.values) report(name, `${values} values, expected ${column.values}`);
}

/**
 * A keyword field: its postings; where it has a column, both say the same: term n is string n, each
 * posting's document has the term's ordinal, none is missing.
 */
function checkKeywords(
  reader: SegmentReader,
  field: number,
  name: string,
  report: ReportProblem,
): void {
  const column = reader.ordinals(field);
  const inverted = reader.inverted(field)!;
  if (column === null) {
    checkInverted(inverted);
    return;
  }
  if (inverted.termCount !== column.size) {
    report(name, `${inverted.termCount} terms, but the column has ${column.size} strings`);
    return;
  }
  const hasOrd = ordinalsOf(column);
  let postings = 0;
  let ord = -1;
  checkInverted(inverted, {
    term(ordinal, source, length) {
      ord = ordinal;
      if (!column.isString(ord, source, length)) report(name, `term ${ord} is not string ${ord}`);
    },
    posting(doc) {
      postings++;
      if (!hasOrd(doc, ord)) report(name, `document ${doc} lacks string ${ord}`);
    },
  });
  const pairs = countPairs(column);
  if (postings !== pairs) report(name, `${postings} postings, but the column has ${pairs}`);
}

/** Documents with more values than this have theirs put into a set once. */
const FEW_VALUES = 32;

/** Whether a document has a string, by the column. */
function ordinalsOf(column: OrdinalColumn): (doc: number, ord: number) => boolean {
  const { multi } = column;
  const large = new Map<number, ReadonlySet<number>>();
  return (doc, ord) => {
    if (!multi) return column.ordAt(doc, 0) === ord;
    const count = column.count(doc);
    if (count > FEW_VALUES) {
      let known = large.get(doc);
      if (known === undefined) large.set(doc, (known = ordinalSet(column, doc)));
      return known.has(ord);
    }
    for (let i = count - 1; i >= 0; i--) if (column.ordAt(doc, i) === ord) return true;
    return false;
  };
}

function ordinalSet(column: OrdinalColumn, doc: number): ReadonlySet<number> {
  const ords = new Set<number>();
  for (let i = column.count(doc) - 1; i >= 0; i--) ords.add(column.ordAt(doc, i));
  return ords;
}

/** Pairs of a document and a string that it has, each counted once. */
function countPairs(column: OrdinalColumn): number {
  if (!column.multi) return column.values;
  let pairs = 0;
  for (let doc = 0; doc < column.docs; doc++) {
    pairs += ordinalSet(column, doc).size;
  }
  return pairs;
}
