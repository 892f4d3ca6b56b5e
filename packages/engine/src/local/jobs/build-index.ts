import { LhsError, type ReindexRequest, type ReindexResponse } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { hasWorker, requireWorker } from '../../base/worker-entry.ts';
import type { BundleRef } from '../../home/bundle.ts';
import { MERGE_WORKER } from '../../index/merges/merge-threads.ts';
import { generationAt } from '../../open/index-folder.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { buildGeneration } from '../../sync/build/build-generation.ts';
import { buildResources } from '../../sync/build/build-resources.ts';
import type { BuildJob, BuiltIndex } from '../../sync/build/cut-over.ts';
import type { FillBuild } from '../../sync/build/rebuild.ts';
import { buildThreads } from '../../workers/build-threads.ts';
import { embedThreads } from '../../workers/embed-threads.ts';
import { BUILD_WORKER, EMBED_WORKER } from '../../workers/entries.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { requireWritable } from '../served-folder.ts';
import { bringUp } from '../writes/bring-up.ts';
import {
  noteEnd,
  openedIndex,
  openTableOf,
  requireFolder,
  withLock,
} from '../writes/write-index.ts';

/**
 * Builds a generation of an index and makes it the live one: the work of a job.
 * The commit lock is taken for the cutover alone, however long that has to be waited for. Throws as
 * `openTableOf` and `buildGeneration`, limit_exceeded if its memory does not fit,
 * and unsupported if its threads have no program.
 */
export async function buildIndex(
  indexes: LocalIndexes,
  known: KnownIndex,
  request: ReindexRequest & { readonly followLive?: boolean },
  job: BuildJob,
  tasks?: BuildTasks,
): Promise<ReindexResponse> {
  const { as_of, followLive } = request;
  const { analyzers } = known.definition;
  const build = (threads: number) => buildThreads(analyzers, threads);
  const kinds = { build, embed: embedThreads };
  const resources = buildResources(withThreads(request), kinds, indexes.memory.build);
  const left = () => (request.resume === true ? leftBuild(indexes, known) : null);
  const { memoryBytes } = resources;
  const start = { left, memoryBytes, uploaded: tasks?.uploaded };
  const answer = await withBuild(indexes, known, start, job, (index, own, family) => {
    const staged = { as_of: own?.as_of ?? as_of, left: own?.generation ?? null };
    const what = { ...staged, followLive, resources, fill: tasks?.fill(family) };
    return buildGeneration(index, what, indexes.bytes(known), job);
  });
  noteEnd(indexes, known, 'syncFaults', null);
  return answer;
}

/** A build in a bundle without the programs of threads runs in this one, or throws unsupported. */
function withThreads(request: ReindexRequest): ReindexRequest {
  const programs = [BUILD_WORKER, EMBED_WORKER, MERGE_WORKER];
  if (request.threads === undefined) {
    return programs.every(hasWorker) ? request : { ...request, threads: 1 };
  }
  if (request.threads > 1) for (const each of programs) requireWorker(each, 'a build thread');
  return request;
}

/** Tasks that make the segments of a build. */
export interface BuildTasks {
  /** `family`: the UUID of the index in its store; null: it has none. */
  readonly fill: (family: string | null) => FillBuild;
  /** For each uploaded file, its bundle, which the published commit names. */
  readonly uploaded: ReadonlyMap<string, BundleRef>;
}

/** What a build of a generation begins with. */
export interface BuildStart<T> {
  /** What a crashed job left to it; what others left is removed. */
  readonly left: () => T | null;
  /** While the memory of other builds leaves too little, it waits. */
  readonly memoryBytes: number;
  readonly uploaded?: BuildTasks['uploaded'] | undefined;
}

/** Runs the build of a generation. Throws as `openTableOf`, and what `left` and `work` throw. */
export async function withBuild<T>(
  indexes: LocalIndexes,
  known: KnownIndex,
  { left, memoryBytes, uploaded }: BuildStart<T>,
  job: BuildJob,
  work: (index: BuiltIndex, left: T | null, family: string | null) => Promise<ReindexResponse>,
): Promise<ReindexResponse> {
  const { registered } = known;
  const { uuid } = registered;
  requireWritable(indexes, 'reindex');
  const leave = await indexes.buildRoom.enter(memoryBytes, job.signal);
  let table: SourceTable | undefined;
  try {
    requireFolder(indexes, registered);
    const own = left();
    if (own === null) indexes.registry.generations.forgetEnded(uuid);
    const family = await bringUp(indexes, known, job.signal, uploaded !== undefined);
    sweepUnlessDamaged(indexes, known);
    table = await openTableOf(known, job.signal);
    const turn = { what: 'reindex', signal: job.signal, waitMs: Infinity, cutover: true };
    const index: BuiltIndex = {
      ...openedIndex(indexes, known),
      table,
      locked: (locked) =>
        withLock(indexes, registered, turn, (lock) => {
          if (uploaded !== undefined) lock.home?.takeUploads(uploaded);
          return locked(lock);
        }),
      named: () => indexes.named(uuid),
    };
    const answer = await work(index, own, family);
    indexes.forget(uuid);
    return answer;
  } catch (error) {
    throw indexes.explained(registered, error);
  } finally {
    await table?.close();
    leave();
  }
}

/** A damaged live generation is no reason not to build: the new one mends it. */
function sweepUnlessDamaged(indexes: LocalIndexes, known: KnownIndex): void {
  try {
    indexes.sweepIndex(known);
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'corrupt_index') throw error;
  }
}

/** What a crashed job left, and the snapshot that it was to build. Throws not_found. */
function leftBuild({ registry, clock }: LocalIndexes, { registered, folder }: KnownIndex) {
  const { uuid, name } = registered;
  const left = registry.generations
    .named(uuid, clock.now())
    .findLast(({ state, untilMs }) => state === 'staged' && untilMs !== null);
  if (left === undefined) {
    throw new LhsError('not_found', `there is no build of "${name}" to resume`, {
      hint: 'a build can be resumed if its process ended after the first minute; begin anew',
      next: [{ step: 'reindex', index: name }],
    });
  }
  const former = left.jobId === null ? undefined : registry.jobs.get(left.jobId);
  const generation = generationAt(folder, left.number);
  return { generation, as_of: former?.record.as_of };
}
