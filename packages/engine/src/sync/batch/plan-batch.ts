/**
 * The difference between an index and a state of its table, from file sets alone:
 *
 * 1. A data file is the same when path, records and data sequence number are. One that is gone, or
 *    is another under its old path: all its places are removed.
 * 2. A file that is new: all its live rows are read.
 * 3. A file under another set of deletes: of the places that the index has (a document or a skipped
 *    row), the dead ones are removed; live ones that the index has not are read. Only delete files
 *    are opened for it.
 * 4. Where rows have lost to others of their key (`on_duplicate_key: last`) and anything but whole
 *    files came, every live row without a document is read: it may win now.
 */

import type { DeleteRef, SourceFile } from '@lakehouse-search/contract';
import type { TypedPart } from '@lakehouse-search/contract/internal';
import type { FilePart, FileScan, FileSet, ReadOptions, SourceTable } from '@lakehouse-search/lake';
import { normalizeRecorded } from '@lakehouse-search/lake/internal';
import { lowerBound } from '../../base/arrays/lower-bound.ts';

type RemovedPlaces = Extract<TypedPart, { kind: 'removed' }>;

/** A step as it is to be applied: places that hold no row any more, parts of files to read. */
export interface StepPlan {
  readonly removed: readonly RemovedPlaces[];
  readonly read: readonly FilePart[];
  /** Every live row without a document is among those to read. */
  readonly withDropped: boolean;
}

/** Positions of rows by the path of their data file, ascending. */
export type PlacedRows = ReadonlyMap<string, Int32Array>;

/** What a plan is made from besides the file sets. */
export interface PlanSource {
  /** Positions of a data file's deleted rows, ascending. */
  deadPositions(scan: FileScan): Promise<Int32Array>;
  /** By path: positions of the data files' rows that have a document or are skipped, ascending. */
  positionsIn(paths: readonly string[]): PlacedRows | Promise<PlacedRows>;
  /** Live rows of the former state without a document. */
  readonly dropped: number;
}

/** Plans the step from the files that an index has followed to those of a snapshot. */
export async function planStep(
  followed: readonly SourceFile[],
  target: FileSet,
  source: PlanSource,
): Promise<StepPlan> {
  const before = Map.groupBy(followed, ({ path }) => normalizeRecorded(path));
  const after = Map.groupBy(target.files, ({ data }) => normalizeRecorded(data.path));
  const removed: RemovedPlaces[] = [];
  const gone = (path: string) => removed.push({ kind: 'removed', path, positions: null });
  for (const [name, [{ path }]] of before) if (!after.has(name)) gone(path);
  const fates = [...after].map(([name, scans]) => ({
    scans,
    fate: fateOf(before.get(name), scans),
  }));
  const others =
    removed.length > 0 || fates.some(({ fate }) => fate === 'replaced' || fate === 'changed');
  const withDropped = source.dropped > 0 && others;
  const read: FilePart[] = [];
  const looked = fates.filter(({ fate }) => fate === 'changed' || (fate === 'kept' && withDropped));
  const indexed = await source.positionsIn(looked.map(({ scans }) => scans[0].data.path));
  for (const { scans, fate } of fates) {
    const [scan] = scans;
    const { path } = scan.data;
    if (fate === 'replaced') gone(path);
    if (fate === 'added' || fate === 'replaced') {
      read.push(...scans.map((each) => ({ scan: each, only: null })));
    } else if (fate === 'changed' || withDropped) {
      const { dead, revived } = await changedPlaces(scan, indexed.get(path) ?? NONE, source);
      if (dead.length > 0) removed.push({ kind: 'removed', path, positions: dead });
      if (revived.length > 0) read.push({ scan, only: revived });
    }
  }
  return { removed, read, withDropped };
}

/** The parts of a planned step, rows read from its table under `options`. */
export async function* stepParts(
  plan: StepPlan,
  table: Pick<SourceTable, 'read'>,
  options: ReadOptions,
): AsyncGenerator<TypedPart> {
  yield* plan.removed;
  if (plan.read.length === 0) return;
  for await (const batch of table.read(plan.read, options)) yield { kind: 'rows', batch };
}

type Fate = 'added' | 'replaced' | 'changed' | 'kept';

function fateOf(before: readonly SourceFile[] | undefined, after: readonly FileScan[]): Fate {
  if (before === undefined) return 'added';
  if (before.length !== after.length) return 'replaced';
  const fates = after.map((scan, i) => fateOfOne(before[i], scan));
  if (fates.every((fate) => fate === 'kept')) return 'kept';
  return fates.length === 1 ? fates[0] : 'replaced';
}

function fateOfOne(former: SourceFile, scan: FileScan): Fate {
  const { data } = scan;
  const { records, sequence } = former;
  if (records !== data.recordCount || sequence !== String(data.dataSequence)) return 'replaced';
  return sameDeletes(former, scan) ? 'kept' : 'changed';
}

/** Whether the same deletes apply to a data file as before. */
function sameDeletes({ deletes }: SourceFile, { deletes: now }: FileScan): boolean {
  const known = new Set(deletes.map(deleteName));
  const names = new Set(
    now.map((file) =>
      deleteName(file.kind === 'vector' ? { path: file.path, offset: file.contentOffset } : file),
    ),
  );
  return known.size === names.size && known.keys().every((name) => names.has(name));
}

const deleteName = ({ path, offset }: DeleteRef): string =>
  `${normalizeRecorded(path)}#${offset ?? ''}`;

/**
 * Of a file that stays: places that the index has and that are dead now, and live ones that it has
 * not.
 */
async function changedPlaces(
  scan: FileScan,
  indexed: Int32Array,
  source: PlanSource,
): Promise<{ readonly dead: Int32Array; readonly revived: Int32Array }> {
  const { recordCount } = scan.data;
  const dead = scan.deletes.length === 0 ? NONE : await source.deadPositions(scan);
  const removed = intersection(indexed, dead);
  const staying = indexed.length - removed.length;
  const live = recordCount - lowerBound(dead, recordCount);
  const revived = live > staying ? unlisted(recordCount, indexed, dead, live - staying) : NONE;
  return { dead: removed, revived };
}

const NONE = new Int32Array(0);

/** What two ascending lists have in common. */
function intersection(a: Int32Array, b: Int32Array): Int32Array {
  const common = new Int32Array(Math.min(a.length, b.length));
  let count = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) common[count++] = a[i];
    if (a[i] <= b[j]) i++;
    else j++;
  }
  return common.subarray(0, count);
}

/** The first `count` positions below `end` that are in neither of two ascending lists. */
function unlisted(end: number, a: Int32Array, b: Int32Array, count: number): Int32Array {
  const found = new Int32Array(count);
  let at = 0;
  for (let position = 0, i = 0, j = 0; position < end && at < count; position++) {
    while (i < a.length && a[i] < position) i++;
    while (j < b.length && b[j] < position) j++;
    if (a[i] !== position && b[j] !== position) found[at++] = position;
  }
  return found.subarray(0, at);
}
