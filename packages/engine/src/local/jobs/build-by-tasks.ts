/** Builds of an index whose segments are made by tasks, in other processes. */
import {
  type CallContext,
  LhsError,
  type ReindexRequest,
  type ReindexResponse,
} from '@lakehouse-search/contract';
import type { OpenEmbedder } from '../../embed/embedder.ts';
import { openEmbedder } from '../../embed/open-embedder.ts';
import type { BundleRef } from '../../home/bundle.ts';
import { openHome } from '../../home/repository.ts';
import type { Home } from '../../home/stored-json.ts';
import { currentGeneration } from '../../open/index-folder.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { homePlace } from '../../schema/parse/resolve-definition.ts';
import { followedSnapshot, namedSnapshot } from '../../source/source-table.ts';
import { inStore } from '../../source/store-errors.ts';
import { buildResources, requireMemory } from '../../sync/build/build-resources.ts';
import type { FilledBuild } from '../../sync/build/rebuild.ts';
import { type BuildTask, readResult, readTask, type TaskResult } from '../../tasks/lines.ts';
import { incomplete, requirePlanned } from '../../tasks/plan-faults.ts';
import { planMerges } from '../../tasks/plan-merges.ts';
import { type PlannedBuild, planTasks, type TaskCount } from '../../tasks/plan-tasks.ts';
import { runTask } from '../../tasks/run-task.ts';
import { fillFromResults, unmerged } from '../../tasks/take-results.ts';
import { buildThreads } from '../../workers/build-threads.ts';
import { embedThreads } from '../../workers/embed-threads.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { bringUp } from '../writes/bring-up.ts';
import { openTableOf } from '../writes/write-index.ts';
import { buildIndex } from './build-index.ts';
import type { RunningJob } from './job-run.ts';
import type { LocalJobs } from './jobs.ts';

/** A reindex by tasks. */
export interface TaskBuildRequest
  extends Pick<ReindexRequest, 'index' | 'as_of' | 'resume' | 'memory_bytes'>,
    TaskCount {}

/** Runs tasks, a line of text each: the lines of their results come in any order. */
export type RunTasks = (
  tasks: readonly string[],
  call: Pick<CallContext, 'signal'>,
) => AsyncIterable<string>;

/** Results of the tasks of a plan, a line of text each. */
export interface TaskResults {
  readonly index: string;
  readonly results: readonly string[];
}

/** Results to merge, at most by so many tasks. */
export interface MergeRequest extends TaskResults, Pick<ReindexRequest, 'memory_bytes'> {
  readonly tasks?: number | undefined;
}

type Jobs = Pick<LocalJobs, 'run'>;
const NO_PATHS: ReadonlySet<string> = new Set();

/**
 * The tasks of a build of an index at a snapshot. Throws invalid_argument for an index without
 * `storage`, limit_exceeded, index_not_found, not_found, and as opening its table.
 */
export async function planLocal(
  indexes: LocalIndexes,
  request: TaskBuildRequest,
  call: CallContext,
): Promise<readonly BuildTask[]> {
  const known = accessible(indexes, request.index, call);
  const home = await openStorage(known);
  const family = await bringUp(indexes, known, call.signal, true);
  const table = await openTableOf(known, call.signal);
  try {
    const { as_of } = request;
    const { ref } = known.definition.source;
    const snapshotId =
      as_of === undefined ? followedSnapshot(table, ref) : namedSnapshot(table, as_of);
    const own = planOf(indexes, known, { home, family: family ?? '' }, request);
    return await planTasks({ ...own, table, snapshotId }, request);
  } finally {
    await table.close();
  }
}

/**
 * Tasks that merge the segments of results. Throws invalid_argument for an index without `storage`,
 * limit_exceeded, index_not_found.
 */
export async function planMergesLocal(
  indexes: LocalIndexes,
  { index, results, tasks, ...request }: MergeRequest,
  call: CallContext,
): Promise<readonly BuildTask[]> {
  const known = accessible(indexes, index, call);
  const home = await openStorage(known);
  const at = planOf(indexes, known, { home, family: '' }, request);
  return planMerges(at, results.map(readResult), tasks);
}

/** A reindex whose segments `run` makes, as a job. Throws as a reindex, and as `planLocal`. */
export function reindexByTasks(
  indexes: LocalIndexes,
  request: TaskBuildRequest & { readonly run: RunTasks },
  call: CallContext,
  jobs: Jobs,
): Promise<ReindexResponse> {
  const { index, as_of, resume, run } = request;
  return jobs.run('reindex', { index, as_of, resume }, call, (_, checked, job) => {
    const known = accessible(indexes, index, job);
    const results = async function* (build: FilledBuild, at: AtStorage) {
      const { table, snapshotId } = build.request;
      begin(build);
      const own = { ...planOf(indexes, known, at, request), missing: build.missing };
      const tasks = await planTasks({ ...own, table, snapshotId }, request);
      const lines = tasks.map((task) => JSON.stringify(task));
      for await (const line of run(lines, job)) yield readResult(line);
    };
    return buildFrom(indexes, known, checked, job, results);
  });
}

/**
 * Makes a generation of the results of planned tasks the live one, as a job. Throws source_changed
 * for results of another definition, table or snapshot, invalid_argument unless they are those of
 * all tasks, and as a reindex.
 */
export function commitResults(
  indexes: LocalIndexes,
  { index, results }: TaskResults,
  call: CallContext,
  jobs: Jobs,
): Promise<ReindexResponse> {
  const read = unmerged(results.map(readResult));
  const [first] = read;
  if (first === undefined)
    throw incomplete(index, 'there are no results', 'give the lines that its tasks have printed');
  const request = { index, as_of: first.snapshot };
  return jobs.run('reindex', request, call, async (_, checked, job) => {
    const known = accessible(indexes, index, job);
    const table = await openTableOf(known, job.signal);
    await table.close();
    requirePlanned(table, first);
    const given = async function* () {
      yield* read;
    };
    return buildFrom(indexes, known, { ...checked, followLive: true }, job, given);
  });
}

/** Runs a task of a line of text. Throws invalid_argument, and as `runTask`. */
export function runLine(line: string, call: CallContext): Promise<TaskResult> {
  const kinds = {
    build: (threads: number) => buildThreads([], threads),
    embed: embedThreads,
  };
  const resources = (memory_bytes: number) => buildResources({ threads: 1, memory_bytes }, kinds);
  const own: OpenEmbedder = (model, from) => openEmbedder(model, { from });
  return runTask(readTask(line), { openEmbedder: own, resources }, call);
}

async function buildFrom(
  indexes: LocalIndexes,
  known: KnownIndex,
  request: ReindexRequest & { readonly followLive?: boolean },
  job: RunningJob<'reindex'>,
  results: (build: FilledBuild, at: AtStorage) => AsyncIterable<TaskResult>,
): Promise<ReindexResponse> {
  const home = await openStorage(known);
  const uploaded = new Map<string, BundleRef>();
  const fill = (family: string | null) => {
    const at = { home, family: family ?? '' };
    return fillFromResults({ ...at, uploaded, results: (build) => results(build, at) });
  };
  return buildIndex(indexes, known, { ...request, threads: 1 }, job, { fill, uploaded });
}

/** Writes down which snapshot is built, for a build that resumes this one. */
function begin({ writer, checkpoint, files, state, skipped }: FilledBuild): void {
  if (writer.lastCommit.number > 0) return;
  const begun = { ...checkpoint(), partial: true as const };
  writer.commit({ checkpoint: begun, files: files.at(state.files, skipped, NO_PATHS) });
}

/** The store of an index, and its UUID there. */
type AtStorage = Pick<PlannedBuild, 'home' | 'family'>;

const planOf = (
  { clock }: LocalIndexes,
  { definition, registered, folder }: KnownIndex,
  at: AtStorage,
  { memory_bytes }: Pick<ReindexRequest, 'memory_bytes'>,
) => ({
  ...{ ...at, definition, definitionVersion: registered.version, baseDir: registered.baseDir },
  after: currentGeneration(folder)?.number ?? 0,
  cache: folder,
  memoryBytes: requireMemory({ memory_bytes }),
  now: clock.now(),
});

/** Where an index is published. Throws invalid_argument if it is not. */
async function openStorage({ definition, registered }: KnownIndex): Promise<Home> {
  const { index, only } = definition;
  if (only !== undefined) {
    const message = `"${index}" has only some of its shards here: tasks build whole indexes`;
    throw new LhsError('unsupported', message);
  }
  const place = homePlace(definition, registered.baseDir);
  if (place !== null) return inStore(() => openHome(place));
  throw new LhsError('invalid_argument', `"${index}" has no storage, where tasks put segments`, {
    hint: 'add "storage: PLACE" to its definition: a folder that all tasks see, or a location',
    next: [{ step: 'alter_index', index }],
  });
}
