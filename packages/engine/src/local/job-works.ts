/**
 * The work of each kind of job: the operation itself, given the job as its call. The code of an
 * operation is loaded with its first job.
 */
import type { JobKind, JobRequests, JobResults } from '@lakehouse-search/contract';
import { buildIndex } from './build-index.ts';
import { accessible } from './caller.ts';
import type { RunningJob } from './job-run.ts';
import type { LocalIndexes } from './local-indexes.ts';

type Works = {
  readonly [K in JobKind]: (
    indexes: LocalIndexes,
    request: JobRequests[K],
    job: RunningJob<K>,
  ) => Promise<JobResults[K]>;
};

/** What the jobs of each kind do. */
export const JOB_WORKS: Works = {
  reindex: async (indexes, request, job) =>
    buildIndex(indexes, accessible(indexes, request.index, job), request, job),
  alter: async (...work) => (await import('./alter.ts')).applyAlter(...work),
  rollback: async (...work) => (await import('./rollback.ts')).rollbackLocal(...work),
  compact: async (...work) => (await import('./compact.ts')).compactLocal(...work),
  upgrade: async (...work) => (await import('./upgrade.ts')).upgradeLocal(...work),
  verify: async (...work) => (await import('./verify.ts')).verifyLocal(...work),
  backup: async (...work) => (await import('./backups.ts')).backupLocal(...work),
  restore: async (...work) => (await import('./backups.ts')).restoreLocal(...work),
  move_windows: async (...work) => (await import('./windows.ts')).moveWindowsLocal(...work),
  reindex_window: async (...work) => (await import('./windows.ts')).reindexWindowLocal(...work),
  erase: async (...work) => (await import('./erasure.ts')).runErasureLocal(...work),
};
