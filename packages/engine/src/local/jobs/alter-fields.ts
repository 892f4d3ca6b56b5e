import type { ReindexResponse } from '@lakehouse-search/contract';
import { alignFields } from '../../alter/align-fields.ts';
import { alterGeneration } from '../../alter/alter-generation.ts';
import type { LocatedDefinition } from '../../alter/plan-alter.ts';
import { currentGeneration, type Generation, generationAt } from '../../open/index-folder.ts';
import { type KnownIndex, mappingOfCommit, notBuilt } from '../../open/open-index.ts';
import type { Redefinition } from '../../registry/jobs.ts';
import { mappingOver } from '../../sync/build/build-generation.ts';
import { requireMemory } from '../../sync/build/build-resources.ts';
import type { BuildJob } from '../../sync/build/cut-over.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { withBuild } from './build-index.ts';

/**
 * Builds the fields of a new definition that the live generation lacks: the work of a job. `known`
 * has the new definition, `now` is the one in force. Throws as `withBuild` and
 * `alterGeneration`, and limit_exceeded if its memory does not fit.
 */
export async function alterFields(
  indexes: LocalIndexes,
  known: KnownIndex,
  now: LocatedDefinition,
  redefines: Redefinition,
  job: BuildJob,
): Promise<ReindexResponse> {
  const left = () => leftAlter(indexes, known, redefines);
  const memoryBytes = requireMemory({}, indexes.memory.build);
  return withBuild(indexes, known, { left, memoryBytes }, job, (index, own) => {
    const live = currentGeneration(index.folder);
    if (live === null) throw notBuilt(now.definition);
    const next = { mapping: mappingOver(index.definition, index.table), baseDir: index.baseDir };
    return alterGeneration(
      index,
      {
        live,
        left: own,
        align: (commit) => {
          const mapping = mappingOfCommit(commit, now.definition);
          return alignFields(commit, { mapping, baseDir: now.baseDir }, next);
        },
      },
      job,
    );
  });
}

/** What a crashed alter to the same definition left. */
function leftAlter(
  { registry, clock }: LocalIndexes,
  { registered, folder }: KnownIndex,
  redefines: Redefinition,
): Generation | null {
  const wanted = JSON.stringify(redefines);
  const left = registry.generations.named(registered.uuid, clock.now()).findLast((one) => {
    if (one.state !== 'staged' || one.untilMs === null || one.jobId === null) return false;
    return JSON.stringify(registry.jobs.get(one.jobId)?.record.redefines) === wanted;
  });
  return left === undefined ? null : generationAt(folder, left.number);
}
