import { errorBody, type JobKind, LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { readCommit } from '../index/commits/commit.ts';
import { isOrphaned, type RegisteredJob } from '../registry/jobs.ts';
import type { Registry } from '../registry/registry.ts';
import { currentGeneration, generationAt, indexFolder } from './index-folder.ts';
import { keepPreviousOf, limitAfterRollback, limitKept } from './kept-generations.ts';
import type { OpenDirectory } from './open-index.ts';

/** Where jobs and their generations are. */
export interface JobPlaces {
  readonly dataDir: string;
  readonly registry: Registry;
  readonly openDirectory: OpenDirectory;
}

/**
 * Ends the jobs whose process is gone, of one index or of all. A job whose generation is live by
 * now is `done`; the others are `failed`. A staged generation with a commit stays for
 * `LIMITS.resumableMillis`; what is left of the others goes with the next sweep. Throws io_error.
 */
export function endDeadJobs(places: JobPlaces, now: number, uuid?: string): void {
  for (const job of places.registry.jobs.running(uuid)) {
    if (isOrphaned(job)) endDeadJob(places, job, now);
  }
}

function endDeadJob(places: JobPlaces, job: RegisteredJob, now: number): void {
  const { jobs, generations } = places.registry;
  const folder = indexFolder(places.dataDir, job.uuid);
  const staged = generations.named(job.uuid, now).find(({ jobId }) => jobId === job.id);
  const next = job.record.cutover?.to ?? staged?.number;
  if (next !== undefined && isInForce(places, folder, job, next)) {
    jobs.apply(job.id, 'cutover_finished', now, {}, () => {
      finishCutover(places.registry, job, next, now);
    });
    return;
  }
  const resumable =
    canResume(job) && staged !== undefined && hasCommit(places, folder, staged.number);
  jobs.apply(job.id, 'owner_gone', now, { error: ownerGone(job, resumable) }, () => {
    if (!resumable) return;
    generations.keepUntil(job.uuid, staged.number, now + LIMITS.resumableMillis);
  });
}

/**
 * Whether what a job makes is in force: its generation, or its commit in the generation that was
 * live before.
 */
export function isInForce(
  { openDirectory }: Pick<JobPlaces, 'openDirectory'>,
  folder: string,
  { record: { cutover, redefines } }: Pick<RegisteredJob, 'record'>,
  generation: number,
): boolean {
  if (liveNumber(folder) !== generation) return false;
  if (cutover?.from !== generation || redefines === undefined) return true;
  const commit = readCommit(openDirectory(generationAt(folder, generation).path));
  return commit !== null && commit.definition_version > redefines.from;
}

/**
 * The generation of a job has become the live one: so does the definition that came with it, and
 * the generation that was live is kept, under the definition that it was built under.
 */
export function finishCutover(
  registry: Registry,
  { uuid, kind, index: name, record: { redefines, cutover } }: RegisteredJob,
  generation: number,
  now: number,
): void {
  const { generations } = registry;
  const version = registry.versionOf(uuid);
  const former = keepPreviousOf(registry, uuid);
  generations.forget(uuid, generation);
  const replaced = cutover?.from;
  if (replaced != null && replaced !== generation && version !== undefined) {
    generations.keep(uuid, replaced, version, now);
  }
  if (redefines !== undefined) {
    registry.redefine({ uuid, name, version: redefines.from }, redefines.to, true);
  }
  if (kind === 'rollback') limitAfterRollback(registry, uuid, former);
  else limitKept(registry, uuid);
}

/** The number of the live generation; null if there is none that can be found. */
function liveNumber(folder: string): number | null {
  try {
    return currentGeneration(folder)?.number ?? null;
  } catch (error) {
    if (error instanceof LhsError && error.code === 'corrupt_index') return null;
    throw error;
  }
}

function hasCommit({ openDirectory }: JobPlaces, folder: string, number: number): boolean {
  try {
    return readCommit(openDirectory(generationAt(folder, number).path)) !== null;
  } catch (error) {
    if (error instanceof LhsError) return false;
    throw error;
  }
}

/** A reindex can be continued, and an alter by field; a reindex for an alter begins anew. */
const canResume = ({ record: { redefines } }: RegisteredJob): boolean =>
  redefines === undefined || redefines.by === 'field';

/** What is true after a crash of jobs that commit step by step. */
const LEFT: Readonly<Partial<Record<JobKind, string>>> = {
  move_windows: 'windows that were moved stay moved; repeat the move for the others',
  reindex_window: 'the window is as it was',
  erase: 'the index is searchable; run the erasure again to go on',
};

function ownerGone(job: RegisteredJob, resumable: boolean) {
  const { kind, owner, index } = job;
  const who = owner === null ? 'its process' : `process ${owner.pid} on "${owner.host}"`;
  const again =
    kind === 'reindex'
      ? 'a resumed reindex continues the build'
      : 'the same alter continues the build';
  const left = LEFT[kind] ?? 'the live generation is untouched';
  const error = new LhsError('interrupted', `${who} ended before the job did`, {
    hint: `${left}${resumable ? `; ${again}` : ''}`,
    next:
      kind === 'reindex'
        ? [{ step: 'reindex', index, ...(resumable ? { resume: true } : {}) }]
        : [],
  });
  const { code, message, details } = errorBody(error).error;
  return { code, message, details };
}
