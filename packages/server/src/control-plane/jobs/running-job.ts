import { LhsError } from '@lakehouse-search/contract';
import type { ClusterJob, ClusterJobRecord } from '../../store/cluster-jobs.ts';
import type { StoredDefinition } from '../../store/definitions.ts';
import type { ClusterContext } from '../cluster-context.ts';

/** A job from the inside. All changes are made under the lease of the leader that runs it. */
export interface RunningJob {
  readonly context: ClusterContext;
  readonly job: ClusterJob;
  /** Aborts when the job is canceled, and when the leader has lost its lease. */
  readonly signal: AbortSignal;
  readonly progress: (record: ClusterJobRecord) => Promise<void>;
}

/** What a job has made. */
export interface JobEnd {
  readonly result: unknown;
  /**
   * The definition that the index was built with: of a version in force that is to be replaced, or
   * the one in force. It comes in force with the route and the end of the job, all or nothing.
   */
  readonly built?: Pick<StoredDefinition, 'definition'> & { readonly replaces?: number };
}

/** Throws interrupted for a job that has to stop. */
export function refuseStopped({ signal }: Pick<RunningJob, 'signal'>): void {
  if (signal.aborted) throw interrupted();
}

/** The error of a job that was stopped. */
export const interrupted = (): LhsError => new LhsError('interrupted', 'the job was stopped');
