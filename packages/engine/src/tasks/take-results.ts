/**
 * A build whose segments its tasks have made:
 *
 * 1. Results are compared with the index and with each other as they come, and the files of their
 *    segments are fetched into the folder of the generation; what another result has merged is left
 *    out.
 * 2. At the end each row of the snapshot must be there once: each data file is covered by splits
 *    without gap or overlap, and its rows are the documents, the deleted and the skipped ones.
 * 3. The writer takes the segments in the order of the tasks. The build finds rows that share keys,
 *    as it finds those of one process.
 */
import type { ErrorCode, VectorCounts } from '@lakehouse-search/contract';
import { eachOf } from '@lakehouse-search/lake/internal';
import { addVectorCounts } from '../documents/vectors/vector-block.ts';
import { fetchFile } from '../home/bring-commit.ts';
import type { BundleRef } from '../home/bundle.ts';
import { bundleKey } from '../home/chain.ts';
import { CommitFiles } from '../home/commit-files.ts';
import { sealedFiles } from '../home/pinned-commit.ts';
import { REQUESTS_AT_ONCE } from '../home/read-bundle.ts';
import type { Home } from '../home/stored-json.ts';
import {
  type Checkpoint,
  COMMIT_FILE,
  type Commit,
  commitOfBytes,
} from '../index/commits/commit.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { inStore } from '../source/store-errors.ts';
import type { FillBuild, FilledBuild, RebuildResult } from '../sync/build/rebuild.ts';
import { requireOwn, requireWhole } from './check-results.ts';
import { coveredBy, resultObject, type TaskResult } from './lines.ts';
import { planOutdated } from './plan-faults.ts';

/** The results that a build takes. */
export interface TakenResults {
  readonly home: Home;
  /** The UUID of the index in its store. */
  readonly family: string;
  readonly results: (build: FilledBuild) => AsyncIterable<TaskResult>;
  /** Receives the bundle of each file that is there. */
  readonly uploaded: Map<string, BundleRef>;
}

/** The segments of a task, whose files are here. */
interface Part {
  readonly result: TaskResult;
  readonly commit: Commit;
}

/**
 * Fills a build with the segments of tasks. Throws source_changed for results of another
 * definition, table or snapshot, invalid_argument if they are not those of the whole build,
 * corrupt_index, and as `inStore`.
 */
export const fillFromResults =
  (taken: TakenResults): FillBuild =>
  async (build) => {
    const parts = await bringAll(build, taken);
    requireWhole(
      build,
      parts.map(({ result }) => result),
    );
    return takeAll(build, parts);
  };

/** As `fillFromResults`, of a part of a build. */
export const fillFromSome =
  (taken: TakenResults): FillBuild =>
  async (build) =>
    takeAll(build, await bringAll(build, taken));

/** The results whose segments no other of them has merged, each once. */
export function unmerged(results: readonly TaskResult[]): readonly TaskResult[] {
  const taken = new Set<number>();
  const bySize = results.toSorted((a, b) => coveredBy(b).length - coveredBy(a).length);
  return bySize.filter((result) => {
    const isTaken = coveredBy(result).every((task) => taken.has(task));
    for (const task of coveredBy(result)) taken.add(task);
    return !isTaken;
  });
}

/** Fetches the files of the results, which are returned in the order of the tasks. */
async function bringAll(build: FilledBuild, taken: TakenResults): Promise<readonly Part[]> {
  const parts = new Map<number, Part>();
  for await (const result of taken.results(build)) {
    refuseAborted(build.request.signal);
    requireOwn(build, taken.family, result, parts.values().next().value?.result);
    if (parts.has(result.task)) continue;
    const commit = await bring(build, taken, result).catch(async (error) => {
      if (GONE.has(error.code)) await forget(taken, result);
      throw error;
    });
    parts.set(result.task, { result, commit });
    report(build, parts);
  }
  return [...parts.values()].sort((a, b) => a.result.task - b.result.task);
}

/** Gives the segments to the writer. */
function takeAll(
  { request, writer, skipped, leftOut }: FilledBuild,
  parts: readonly Part[],
): Pick<RebuildResult, 'droppedDuplicates' | 'vectors'> {
  let droppedDuplicates = 0;
  let vectors: VectorCounts = {};
  for (const { result, commit } of parts) {
    writer.take(commit);
    if (result.skipped !== undefined) skipped.take(request.mapping, result.skipped);
    for (const [field, count] of Object.entries(result.untyped_values ?? {}))
      leftOut.set(field, (leftOut.get(field) ?? 0) + count);
    droppedDuplicates += result.dropped_duplicates ?? 0;
    vectors = addVectorCounts(vectors, result);
  }
  return { droppedDuplicates, vectors };
}

const GONE: ReadonlySet<ErrorCode> = new Set(['corrupt_index', 'index_busy']);

/** Lets a task run again whose files cannot be taken. */
const forget = ({ home, family }: TakenResults, result: TaskResult): Promise<void> =>
  inStore(() => home.store.delete([bundleKey(family, { object: resultObject(result) })]));

/** Fetches the files of a task. */
async function bring(
  { request, checkpoint }: FilledBuild,
  { home, family, uploaded }: TakenResults,
  { bundle, files }: TaskResult,
): Promise<Commit> {
  const { directory, mapping, signal } = request;
  const byName = Object.fromEntries(files.map((name) => [name, 0]));
  const bundled = { uuid: family, number: 0, bundles: [bundle], files: byName };
  const stored = new CommitFiles(home, bundled, signal);
  const commit = commitOfBytes(directory, (await stored.find(COMMIT_FILE)).opening);
  requireSame(mapping.definition.index, commit, checkpoint());
  await eachOf([...sealedFiles(commit)], REQUESTS_AT_ONCE, async ([name, seal]) => {
    await fetchFile(stored, directory.path, name, seal);
    uploaded.set(name, bundle);
  });
  return commit;
}

/** Throws source_changed if a part was built from another table or under another schema. */
function requireSame(index: string, { checkpoint: built }: Commit, own: Checkpoint): void {
  if (built?.table_uuid !== own.table_uuid) throw planOutdated(index, 'its table is another one');
  if (JSON.stringify(built.schema) !== JSON.stringify(own.schema))
    throw planOutdated(index, 'the schema of its table has changed');
}

function report({ request }: FilledBuild, parts: ReadonlyMap<number, Part>): void {
  const results = [...parts.values()].map(({ result }) => result);
  const docs_done = results.reduce((sum, { docs }) => sum + docs, 0);
  const done = results.flatMap(coveredBy).length;
  const docs_total = Math.round((docs_done * results[0].tasks) / done);
  request.progress?.({ phase: 'reading', docs_done, docs_total, snapshot: results[0].snapshot });
}
