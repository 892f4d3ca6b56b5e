import { errorBody, LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { readCommit } from '../index/commit.ts';
import { isOrphaned, type RegisteredJob } from '../registry/jobs.ts';
import type { Registry } from '../registry/registry.ts';
import { currentGeneration, generationAt, indexFolder } from './index-folder.ts';
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
  if (staged !== undefined && liveNumber(folder) === staged.number) {
    jobs.apply(job.id, 'cutover_finished', now, {}, () => {
      finishCutover(places.registry, job, staged.number);
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

/** The generation of a job has become the live one: so does the definition that came with it. */
export function finishCutover(
  registry: Registry,
  { uuid, index: name, record: { redefines } }: RegisteredJob,
  generation: number,
): void {
  registry.generations.forget(uuid, generation);
  if (redefines === undefined) return;
  registry.redefine({ uuid, name, version: redefines.from }, redefines.to, true);
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

function ownerGone({ owner, index, record: { redefines } }: RegisteredJob, resumable: boolean) {
  const who = owner === null ? 'its process' : `process ${owner.pid} on "${owner.host}"`;
  const again =
    redefines === undefined
      ? 'a resumed reindex continues the build'
      : 'the same alter continues the build';
  const error = new LhsError('interrupted', `${who} ended before the job did`, {
    hint: `the live generation is untouched${resumable ? `; ${again}` : ''}`,
    next:
      redefines === undefined
        ? [{ step: 'reindex', index, ...(resumable ? { resume: true } : {}) }]
        : [],
  });
  const { code, message, details } = errorBody(error).error;
  return { code, message, details };
}
