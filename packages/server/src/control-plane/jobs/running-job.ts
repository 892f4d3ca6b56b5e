import { LhsError } from '@lakehouse-search/contract';
import type { ClusterJob, ClusterJobRecord } from '../../store/cluster-jobs.ts';
import type { ClusterStore } from '../../store/open-store.ts';
import type { ClusterContext } from '../cluster-context.ts';

/** A job from the inside. All changes are made under the lease of the leader that runs it. */
export interface RunningJob {
  readonly context: ClusterContext;
  readonly job: ClusterJob;
  /** Aborts when the job is canceled, and when the leader has lost its lease. */
  readonly signal: AbortSignal;
  readonly progress: (record: ClusterJobRecord) => Promise<void>;
  /** Changes the cluster under the lease of the leader. */
  readonly change: <T>(work: (cluster: ClusterStore) => Promise<T>) => Promise<T>;
  /** The shards are complete: the cutover begins. */
  readonly built: () => Promise<void>;
  /** Ends the job together with other changes of the cluster, all or nothing. */
  readonly finish: (work: (cluster: ClusterStore) => Promise<unknown>) => Promise<void>;
}

/** Throws interrupted for a job that has to stop. */
export function refuseStopped({ signal }: Pick<RunningJob, 'signal'>): void {
  if (signal.aborted) throw interrupted();
}

/** The error of a job that was stopped. */
export const interrupted = (): LhsError => new LhsError('interrupted', 'the job was stopped');
