/**
 * The work of each kind of job: the operation itself, given the job as its call. The code of an
 * operation is loaded with its first job.
 */
import type { JobKind, JobRequests, JobResults } from '@lakehouse-search/contract';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { buildIndex } from './build-index.ts';
import type { RunningJob } from './job-run.ts';

/** What a job of a kind does. */
export type JobWorkOf<K extends JobKind> = (
  indexes: LocalIndexes,
  request: JobRequests[K],
  job: RunningJob<K>,
) => Promise<JobResults[K]>;

type Works = { readonly [K in JobKind]: JobWorkOf<K> };

/** What the jobs of each kind do. */
export const JOB_WORKS: Works = {
  reindex: async (indexes, request, job) =>
    buildIndex(indexes, accessible(indexes, request.index, job), request, job),
  alter: async (...work) => (await import('./alter.ts')).applyAlter(...work),
  rollback: async (...work) => (await import('./rollback.ts')).rollbackLocal(...work),
  compact: async (...work) => (await import('../writes/compact.ts')).compactLocal(...work),
  upgrade: async (...work) => (await import('../writes/upgrade.ts')).upgradeLocal(...work),
  verify: async (...work) => (await import('../writes/verify.ts')).verifyLocal(...work),
  backup: async (...work) => (await import('../writes/backups.ts')).backupLocal(...work),
  restore: async (...work) => (await import('../writes/backups.ts')).restoreLocal(...work),
  move_windows: async (...work) => (await import('../writes/windows.ts')).moveWindowsLocal(...work),
  reindex_window: async (...work) =>
    (await import('../writes/windows.ts')).reindexWindowLocal(...work),
  erase: async (...work) => (await import('../writes/erasure.ts')).runErasureLocal(...work),
};
