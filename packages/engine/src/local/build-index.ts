import type { ReindexRequest, ReindexResponse } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { generationAt } from '../open/index-folder.ts';
import type { KnownIndex } from '../open/open-index.ts';
import { buildGeneration } from '../sync/build-generation.ts';
import { buildResources } from '../sync/build-resources.ts';
import type { BuildJob } from '../sync/cut-over.ts';
import { buildThreads } from '../workers/build-threads.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { openedIndex, openTableOf, requireFolder, withLock } from './write-index.ts';

/**
 * Builds a generation of an index and makes it the live one: the work of a job.
 * The commit lock is taken for the cutover alone, however long that has to be waited for. Throws as
 * `openTableOf` and `buildGeneration`.
 */
export async function buildIndex(
  indexes: LocalIndexes,
  known: KnownIndex,
  request: ReindexRequest & { readonly followLive?: boolean },
  job: BuildJob,
): Promise<ReindexResponse> {
  const { registered } = known;
  const { uuid } = registered;
  const { as_of, followLive } = request;
  let table: SourceTable | undefined;
  try {
    requireFolder(indexes, registered);
    const left = request.resume === true ? leftBuild(indexes, known) : null;
    if (left === null) indexes.registry.generations.forgetEnded(uuid);
    sweepUnlessDamaged(indexes, known);
    table = await openTableOf(known, job.signal);
    const turn = { what: 'reindex', signal: job.signal, waitMs: Infinity, cutover: true };
    const { analyzers } = known.definition;
    const resources = buildResources(request, (threads) => buildThreads(analyzers, threads));
    const answer = await buildGeneration(
      {
        ...openedIndex(indexes, known),
        table,
        locked: (work) => withLock(indexes, registered, turn, work),
        named: () => indexes.named(uuid),
      },
      { as_of: left?.as_of ?? as_of, left: left?.generation ?? null, followLive, resources },
      indexes.bytes(known),
      job,
    );
    indexes.forget(uuid);
    return answer;
  } catch (error) {
    throw indexes.explained(registered, error);
  } finally {
    await table?.close();
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
