/**
 * Other shards for the live generation: one commit, without the table. The buckets of keys are
 * found before the lock is taken.
 */
import type { AlterPlan } from '@lakehouse-search/contract';
import type { LocatedDefinition } from '../../alter/plan-alter.ts';
import { takeSteps } from '../../base/steps.ts';
import {
  acceptDraft,
  type Commit,
  commitBytes,
  draftCommit,
  draftIn,
  liveDocs,
  requireCommit,
} from '../../index/commits/commit.ts';
import {
  findingAllBuckets,
  type KnownBuckets,
  resharding,
} from '../../index/commits/reshard-segments.ts';
import { type KnownIndex, unnamedFiles } from '../../open/open-index.ts';
import { storedDefinition } from '../../schema/parse/parsed-definition.ts';
import type { Directory } from '../../storage/directory.ts';
import { liveGeneration } from '../../sync/follow/open-session.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { type HeldLock, withLock } from '../writes/write-index.ts';
import type { RunningJob } from './job-run.ts';

/** Buckets of so many documents, two bytes each, are found before the lock is taken. */
const MOST_DOCS = 2 ** 25;

/**
 * Gives the live generation the shards of a new definition, which is in force with the commit.
 * Throws as `withLock`, corrupt_index, disk_full.
 */
export async function reshardLive(
  indexes: LocalIndexes,
  known: KnownIndex,
  next: LocatedDefinition,
  done: AlterPlan,
  job: RunningJob<'alter'>,
): Promise<AlterPlan> {
  const { registered, folder } = known;
  const started = performance.now();
  const live = liveGeneration(known);
  const buckets = await bucketsOfLive(indexes, known, job);
  job.redefines({ from: registered.version, to: storedDefinition(next.definition, next.baseDir) });
  job.answers(() => done);
  job.take(folder, live);
  job.beginCutover();
  const turn = { what: 'reshard', signal: job.signal, waitMs: Infinity, cutover: true };
  await withLock(indexes, registered, turn, async (lock) => {
    const directory = indexes.openDirectory(live.path, () => lock.assertHeld());
    const draft = await draftOf(indexes, known, directory, next, buckets);
    const accepted = await publish(directory, draft, next, lock);
    const built = {
      ...{ doc_count: liveDocs(draft), bytes: commitBytes(draft) },
      snapshot: draft.checkpoint?.snapshot_id ?? null,
      ...{ index_generation: live.number, took_ms: Math.round(performance.now() - started) },
    };
    lock.assertHeld();
    job.promote(built, () => acceptDraft(directory));
    accepted();
  });
  indexes.forget(registered.uuid);
  return done;
}

async function bucketsOfLive(
  indexes: LocalIndexes,
  known: KnownIndex,
  { signal }: RunningJob<'alter'>,
): Promise<KnownBuckets> {
  const { snapshot } = indexes.hold(known);
  try {
    const steps = findingAllBuckets(snapshot.segments, MOST_DOCS);
    return await takeSteps(steps, signal === undefined ? {} : { signal });
  } finally {
    snapshot.release();
  }
}

/** The commit with other shards, on disk. */
async function draftOf(
  { clock }: LocalIndexes,
  { registered }: KnownIndex,
  directory: Directory,
  { definition }: LocatedDefinition,
  buckets: KnownBuckets,
): Promise<Commit> {
  for (const name of unnamedFiles(directory, clock.now())) directory.remove(name);
  const before = requireCommit(directory);
  const resharded = await takeSteps(resharding(directory, before, definition, buckets));
  return draftCommit(directory, {
    ...resharded,
    ...{ number: before.number + 1, definition_version: registered.version + 1 },
    committed_at: clock.now(),
  });
}

async function publish(
  directory: Directory,
  commit: Commit,
  { definition, baseDir }: LocatedDefinition,
  lock: HeldLock,
): Promise<() => void> {
  if (lock.publish === undefined) return () => undefined;
  const { definition_version: definitionVersion } = commit;
  const under = { definition: definition.text, definitionVersion, baseDir };
  return lock.publish(draftIn(directory, commit), under);
}
