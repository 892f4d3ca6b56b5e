import { type CallContext, LhsError, type ReindexResponse } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { addVectorCounts } from '../../documents/vectors/vector-block.ts';
import {
  type Checkpoint,
  COMMIT_FILE,
  type CommittedUnder,
  draftIn,
  readCommit,
} from '../../index/commits/commit.ts';
import {
  currentGeneration,
  type Generation,
  promoteGeneration,
  sweepGenerations,
} from '../../open/index-folder.ts';
import { fromSource } from '../../source/source-errors.ts';
import { followedSnapshot } from '../../source/source-table.ts';
import type { Directory } from '../../storage/directory.ts';
import { openSession } from '../follow/open-session.ts';
import type { LockedIndex, WriteLock } from '../locked-index.ts';
import { reaches } from '../missing-snapshots.ts';
import type { RebuildResult } from './rebuild.ts';

/** An index that is built: no lock is held. */
export interface BuiltIndex extends Omit<LockedIndex, 'lock'> {
  /** Runs work with the commit lock of the index. */
  readonly locked: <T>(work: (lock: WriteLock) => Promise<T>) => Promise<T>;
  /** Numbers of the generations that a sweep must leave alone. */
  readonly named: () => ReadonlySet<number>;
}

/** The job of a build, and what the build reports to it. */
export interface BuildJob extends CallContext {
  /** Makes the folder of the generation that is built. */
  readonly stage: (folder: string) => Generation;
  /** Takes over the generation that a crashed job left. Throws not_found if it is gone. */
  readonly adopt: (folder: string, left: Generation) => void;
  /** Throws interrupted if the job has ended: another process may have ended its record. */
  readonly fence: () => void;
  /** The generation is complete. */
  readonly beginCutover: () => void;
  /** Runs `promote` and ends the job, both or neither. Throws interrupted if it was canceled. */
  readonly promote: (result: ReindexResponse, promote: () => void) => void;
}

/** The commit of the live generation; null if there is none that can be read. */
export function liveCommit({
  folder,
  openDirectory,
}: Pick<LockedIndex, 'folder' | 'openDirectory'>) {
  try {
    const live = currentGeneration(folder);
    return live === null ? null : readCommit(openDirectory(live.path));
  } catch (error) {
    // A damaged live generation is no reason not to build: the new one mends it.
    if (error instanceof LhsError && error.code === 'corrupt_index') return null;
    throw error;
  }
}

/** A staged generation as its build, and what came after it, have left it. */
export type CaughtUp = Pick<RebuildResult, 'commit' | 'docs' | 'vectors'>;

/** What the cutover of a build needs. */
export interface Cutover {
  readonly built: RebuildResult;
  /**
   * The live checkpoint when the build began; `as of`: an older snapshot was requested; `head`: a
   * resumed build, or one with columns that are newer than its snapshot, goes to the newest.
   */
  readonly since: Checkpoint | null | 'as of' | 'head';
  readonly response: (caughtUp: CaughtUp) => ReindexResponse;
}

/**
 * Makes a complete generation the live one. It follows what the live one has applied since the
 * build began: first without the lock, then, with it, what came meanwhile.
 */
export async function cutOver(
  index: BuiltIndex,
  staged: Generation,
  { built, since, response }: Cutover,
  job: BuildJob,
): Promise<ReindexResponse> {
  const { folder } = index;
  const follow = async (caughtUp: CaughtUp): Promise<CaughtUp> => {
    if (since === 'as of') return caughtUp;
    return followLive(index, staged, since === 'head' ? null : since, caughtUp, job);
  };
  const latest = since === 'head' ? await followHead(index, staged, built, job) : built;
  const before = await follow(latest);
  job.beginCutover();
  return index.locked(async (lock) => {
    const after = await follow(before);
    lock.assertHeld();
    const { definitionVersion, baseDir, openDirectory } = index;
    const under = { definition: index.definition.text, definitionVersion, baseDir };
    const accepted = await publishGeneration(openDirectory(staged.path), lock, under);
    const answer = response(after);
    job.promote(answer, () => promoteGeneration(folder, staged));
    accepted();
    sweepQuietly(index);
    return answer;
  });
}

/** Publishes a generation before it is live. Throws as `PublishCommit`. */
export async function publishGeneration(
  directory: Directory,
  { publish }: WriteLock,
  under?: CommittedUnder,
): Promise<() => void> {
  const commit = publish === undefined ? null : readCommit(directory);
  if (publish === undefined || commit === null) return () => undefined;
  return publish(draftIn(directory, commit, COMMIT_FILE), under);
}

/** The new generation is live even if the former one cannot be removed: a later sweep does it. */
function sweepQuietly({ folder, named }: BuiltIndex): void {
  try {
    sweepGenerations(folder, Date.now(), named);
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
  }
}

/** Brings a staged generation to the snapshot of the live one, if that has moved since `since`. */
async function followLive(
  index: BuiltIndex,
  staged: Generation,
  since: Checkpoint | null,
  caughtUp: CaughtUp,
  job: BuildJob,
): Promise<CaughtUp> {
  const own = caughtUp.commit.checkpoint;
  const live = liveCommit(index)?.checkpoint ?? null;
  if (live === null || live.table_uuid !== own?.table_uuid) return caughtUp;
  if (live.snapshot_id === since?.snapshot_id || live.snapshot_id === null) return caughtUp;
  if (reaches(index.table, own, live.snapshot_id)) return caughtUp;
  const { signal } = job;
  const table = await fromSource(() => index.table.refresh(), signal);
  if (reaches(table, own, live.snapshot_id)) return caughtUp;
  const known = table.snapshots.some(({ id }) => String(id) === live.snapshot_id);
  const head = followedSnapshot(table, index.definition.source.ref);
  const target = known ? BigInt(live.snapshot_id) : head;
  return catchUpStaged(index, staged, caughtUp, { table, target }, job);
}

/** Brings a staged generation to the head of its table. */
async function followHead(
  index: BuiltIndex,
  staged: Generation,
  caughtUp: CaughtUp,
  job: BuildJob,
): Promise<CaughtUp> {
  const table = await fromSource(() => index.table.refresh(), job.signal);
  const target = followedSnapshot(table, index.definition.source.ref);
  return catchUpStaged(index, staged, caughtUp, { table, target }, job);
}

async function catchUpStaged(
  index: BuiltIndex,
  staged: Generation,
  caughtUp: CaughtUp,
  { table, target }: { readonly table: SourceTable; readonly target: bigint | null },
  { signal, fence }: BuildJob,
): Promise<CaughtUp> {
  const session = openSession({ ...index, lock: { assertHeld: fence } }, staged);
  try {
    const { vectors } = await session.catchUp(table, target, { signal });
    const counts = addVectorCounts(caughtUp.vectors, vectors);
    return { commit: session.commit, docs: session.docs, vectors: counts };
  } finally {
    await session.close();
  }
}
