/** Whether results of tasks are those of one whole build of an index as it is now. */
import type { FileScan } from '@lakehouse-search/lake';
import { BUILD_MS } from '../home/sweep.ts';
import { definitionDigest } from '../schema/definition-digest.ts';
import type { FilledBuild } from '../sync/build/rebuild.ts';
import { coveredBy, plannedAt, type ReadSplit, type TaskResult } from './lines.ts';
import { incomplete, planOutdated } from './plan-faults.ts';
import { recordsOf, scansByPath } from './split-files.ts';

const AGAIN = 'plan the build again, and run all lines of the plan';
/** Tasks that an error names. */
const MOST_NAMED = 10;

/**
 * Throws unless a result is one of this build: source_changed for another definition, table or
 * snapshot, invalid_argument for one of another build than the first.
 */
export function requireOwn(
  { request }: FilledBuild,
  family: string,
  result: TaskResult,
  first: TaskResult = result,
): void {
  const { definition } = request.mapping;
  const { index } = definition;
  const { definition_version, snapshot, build, tasks } = result;
  if (result.definition_digest !== definitionDigest(definition))
    throw planOutdated(index, `its definition is not that of version ${definition_version}`);
  if (result.family !== family) throw planOutdated(index, 'its storage has another index');
  if (snapshot !== String(request.snapshotId))
    throw planOutdated(index, `it is to be built at ${request.snapshotId}, not at ${snapshot}`);
  if (Date.now() - plannedAt(result) > BUILD_MS)
    throw planOutdated(index, 'what its tasks have uploaded is deleted after a week');
  if (
    build === first.build &&
    tasks === first.tasks &&
    coveredBy(result).every((one) => one < tasks)
  )
    return;
  throw incomplete(index, `there are results of two plans, ${first.build} and ${build}`, AGAIN);
}

/** Throws invalid_argument unless the results have each row of the data files once. */
export function requireWhole(
  { request, set, missing }: FilledBuild,
  results: readonly TaskResult[],
): void {
  const { index } = request.mapping.definition;
  requireTasks(index, results);
  const files = set.files.filter(({ data }) => missing?.has(data.path) ?? true);
  const scans = scansByPath(files);
  const splits = Map.groupBy(
    results.flatMap((result) => result.splits),
    ({ path }) => path,
  );
  for (const [path, own] of scans) {
    if (!isCovered(own, splits.get(path) ?? []))
      throw incomplete(index, `the rows of "${path}" are not there once`, AGAIN);
  }
  for (const path of splits.keys()) {
    if (!scans.has(path)) throw incomplete(index, `"${path}" is no data file of it`, AGAIN);
  }
  if (request.table.restrictions !== undefined) return;
  for (const result of results) requireRows(index, result, scans);
}

function requireTasks(index: string, results: readonly TaskResult[]): void {
  const { tasks = 0 } = results[0] ?? {};
  const have = new Set(results.flatMap(coveredBy));
  const without = Array.from({ length: tasks }, (_, task) => task).filter((one) => !have.has(one));
  if (without.length === 0) return;
  const more = without.length > MOST_NAMED ? ', …' : '';
  const named = `${without.slice(0, MOST_NAMED).join(', ')}${more}`;
  const what = `no result of ${named} among tasks 0 to ${tasks - 1}`;
  throw incomplete(
    index,
    what,
    'run these lines of the plan, or all: those that have run do nothing',
  );
}

/** Whether splits follow each other from the first row of a file to its last. */
function isCovered(scans: readonly FileScan[], splits: readonly ReadSplit[]): boolean {
  const rows = recordsOf(scans);
  let next = 0;
  for (const { from = 0, to = rows } of splits.toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0))) {
    if (from !== next) return false;
    next = to;
  }
  return splits.length > 0 && next === rows && hasVectorCounts(scans, splits);
}

/** The metadata says how many rows deletion vectors delete. */
function hasVectorCounts(scans: readonly FileScan[], splits: readonly ReadSplit[]): boolean {
  const deletes = scans.flatMap((scan) => scan.deletes);
  if (!deletes.every(({ kind }) => kind === 'vector')) return true;
  const expected = deletes.reduce((sum, { recordCount }) => sum + recordCount, 0);
  return splits.reduce((sum, { deleted }) => sum + deleted, 0) === expected;
}

/** Throws unless each row of a task is a document, or known to be none. */
function requireRows(
  index: string,
  { task, splits, docs, dropped_duplicates = 0, skipped }: TaskResult,
  scans: ReadonlyMap<string, readonly FileScan[]>,
): void {
  const rowsOf = ({ path, from = 0, to = recordsOf(scans.get(path) ?? []) }: ReadSplit) =>
    to - from;
  const rows = splits.reduce((sum, split) => sum + rowsOf(split) - split.deleted, 0);
  const left = skipped?.files.reduce((sum, [, positions]) => sum + positions.length, 0) ?? 0;
  const found = docs + dropped_duplicates + left;
  if (found === rows) return;
  throw incomplete(index, `task ${task} has ${found} of ${rows} rows`, AGAIN);
}
