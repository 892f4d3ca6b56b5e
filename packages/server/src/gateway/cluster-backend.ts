/**
 * The nodes of a cluster as one `BackendApi`: reads are answered from the shards of all nodes, all
 * other operations by `admin`.
 */
import {
  type CallContext,
  type DiffRequest,
  type ErrorCode,
  LhsError,
} from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import {
  diffRemotely,
  REMOTE_READS,
  type RemoteRead,
  type RemoteReads,
  readRemotely,
} from '@lakehouse-search/engine/internal';
import { withOwn } from '../config/with-own.ts';
import { clusterDiff } from './cluster-diff.ts';
import { ClusterReads, type ClusterReadsOptions } from './cluster-reads.ts';

/** The operations that a gateway does not answer from shards. */
export type AdminBackend = Omit<BackendApi, RemoteRead | 'diffHits'>;

/** What a gateway over nodes is made of. */
export interface ClusterBackendOptions extends ClusterReadsOptions {
  /** Answers everything that is no read of shards; closed with the backend. */
  readonly admin: AdminBackend;
}

/** Errors that an old routing may be the reason of. */
const STALE: ReadonlySet<ErrorCode> = new Set([
  'index_not_found',
  'index_not_built',
  'unreachable',
]);

/** Reads that run one search after the other. */
const MANY_SEARCHES: ReadonlySet<RemoteRead> = new Set<RemoteRead>(['bench', 'explain']);

/** A `BackendApi` over the nodes of a cluster. The caller closes the routing. */
export function clusterBackend(options: ClusterBackendOptions): BackendApi {
  const { admin, routing } = options;
  const reads = new ClusterReads(options);
  /** Another gateway may have made or built the index a moment ago, or its nodes have moved on. */
  const upToDate = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LhsError) || !STALE.has(error.code)) throw error;
      await routing.refresh();
      return work();
    }
  };
  const remote: RemoteReads = {
    upToDate,
    whole: async (name, request, call) =>
      MANY_SEARCHES.has(name) ? undefined : reads.whole(name, request, call),
    open: (target, call, name) =>
      reads.open(target, call, MANY_SEARCHES.has(name) ? 'each' : 'together'),
  };
  const methods = REMOTE_READS.map((name) => [
    name,
    (request: unknown, call?: CallContext) => readRemotely(name, request, call, remote),
  ]);
  const diff = clusterDiff(reads);
  const own: Pick<BackendApi, RemoteRead | 'diffHits'> = {
    ...(Object.fromEntries(methods) as Pick<BackendApi, RemoteRead>),
    diffHits: (request: DiffRequest, call) => diffRemotely(request, call, diff),
  };
  return withOwn(admin as BackendApi, own);
}
