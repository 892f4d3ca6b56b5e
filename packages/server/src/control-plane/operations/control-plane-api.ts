import {
  type BackupRequest,
  type CallContext,
  type CompactRequest,
  type ErasureRunRequest,
  type IndexRouting,
  LhsError,
  type License,
  type MoveWindowsRequest,
  type ReindexWindowRequest,
  type RoutingRequest,
  type UpgradeRequest,
} from '@lakehouse-search/contract';
import {
  type BackendApi,
  type ClusterApi,
  checkRoutingRequest,
  isListed,
  type OperationOfPlane,
} from '@lakehouse-search/contract/internal';
import {
  registeredDefinition,
  requireTenants,
  shardTable,
} from '@lakehouse-search/engine/internal';
import { operationsOf } from '../../config/operations-of.ts';
import { shownStatus } from '../../config/shown-status.ts';
import type { ClusterContext } from '../cluster-context.ts';
import type { JobWorks } from '../jobs/run-job.ts';
import { LocalCluster } from '../local-cluster.ts';
import { ClusterAliasApi } from './cluster-alias-api.ts';
import type { BackupTrust } from './cluster-backup-api.ts';
import { requireWhole } from './cluster-caller.ts';
import { ClusterIndexApi, indexNotFound } from './cluster-index-api.ts';
import { ClusterJobApi, resolveName } from './cluster-job-api.ts';
import { clusterMaintenance } from './cluster-maintenance.ts';
import { ClusterReshardApi } from './cluster-reshard-api.ts';
import { ErasedRecords } from './erased-records.ts';
import { LedIndexNodes } from './led-index-nodes.ts';
import { StoredQueries } from './stored-queries.ts';
import { syncedByPlane } from './synced-by-plane.ts';
import { wholeOperations } from './whole-operations.ts';

/** The license of a cluster to which none was given. */
const OPEN_LICENSE = 'Apache-2.0';

/** What the control plane answers: the operations that concern no single node. */
export interface ControlPlaneApis {
  readonly backend: BackendApi;
  readonly cluster: ClusterApi;
  /** Operations that jobs run. */
  readonly works: JobWorks;
}

/**
 * The operations of a control plane. Searches and writes of rows are those of gateways and nodes:
 * here they are unsupported. `scratch` opens tables and checks definitions.
 * `backupTarget`: where backups are, for all nodes as well. `admit` judges definitions of backups
 * that the cluster has not signed.
 */
export function controlPlaneApis(
  context: ClusterContext,
  scratch: () => Promise<BackendApi>,
  backupTarget?: string,
  admit?: BackupTrust['admit'],
): ControlPlaneApis {
  const indexes = new ClusterIndexApi(context, scratch, (index, call) =>
    resolveName(context.store, index, call),
  );
  const jobs = new ClusterJobApi(context);
  const reshards = new ClusterReshardApi(context, jobs);
  const aliases = new ClusterAliasApi(context.store);
  const queries = new StoredQueries(context.store.queries);
  const answered: Pick<BackendApi, OperationOfPlane & keyof BackendApi> = {
    ...operationsOf(indexes),
    ...operationsOf(jobs),
    ...operationsOf(reshards),
    ...operationsOf(aliases),
    ...operationsOf(queries),
    ...clusterMaintenance(context),
    ...wholeOperations(new LedIndexNodes(context), {
      ...{ backupTarget, admit },
      records: new ErasedRecords(context.store),
      receiptKey: () => context.store.receiptKey(),
    }),
    describeSource: async (request, call) => (await scratch()).describeSource(request, call),
    listTables: async (request, call) => (await scratch()).listTables(request, call),
    initDefinition: async (request, call) => (await scratch()).initDefinition(request, call),
    validateDefinition: async (request, call) =>
      (await scratch()).validateDefinition(request, call),
  };
  // other operations are unsupported where a service runs them
  const backend = syncedByPlane(answered as BackendApi);
  const works = worksOf(backend);
  return { backend, cluster: new ControlPlaneCluster(context, backend), works };
}

/** A job has no caller any more: its request was checked for the caller who started it. */
const worksOf = (backend: BackendApi): JobWorks => ({
  backup: (request, call) => backend.backup(request as BackupRequest, call),
  compact: (request, call) => backend.compact(request as CompactRequest, call),
  upgrade: (request, call) => backend.upgrade(request as UpgradeRequest, call),
  erase: (request, call) => backend.runErasure(request as ErasureRunRequest, call),
  move_windows: (request, call) => backend.moveWindows(request as MoveWindowsRequest, call),
  reindex_window: (request, call) => backend.reindexWindow(request as ReindexWindowRequest, call),
});

/** What a cluster says about itself. */
class ControlPlaneCluster extends LocalCluster {
  readonly #context: ClusterContext;
  readonly #backend: BackendApi;

  constructor(context: ClusterContext, backend: BackendApi) {
    super({ backend, store: context.store });
    this.#context = context;
    this.#backend = backend;
  }

  override async getRouting(request: RoutingRequest, call: CallContext = {}) {
    const { store } = this.#context;
    const index = await resolveName(store, checkRoutingRequest(request).index, call);
    const stored = await store.definitions.get(index);
    if (stored === undefined) throw indexNotFound(index);
    const definition = registeredDefinition(stored.definition);
    if (call.principal?.tenant !== undefined) requireTenants(definition);
    const route = await store.routes.get(index);
    const routing: IndexRouting = {
      name: index,
      status: route === undefined ? 'created' : 'live',
      shard_count: route?.shards ?? definition.shards ?? 1,
      routing_strategy: 'hash',
      buckets: definition.map === undefined ? [] : [...shardTable(definition)],
    };
    return routing;
  }

  override async listIngestion(_request?: unknown, call: CallContext = {}) {
    requireWhole(call, 'listIngestion');
    const definitions = await this.#context.store.definitions.list();
    const listed = definitions.filter(({ index }) => isListed(call, index));
    const all = listed.map(({ index }) => this.#backend.status({ index }, call));
    return (await Promise.all(all)).map((status) => shownStatus(status));
  }

  protected override async nameOf(index: string, call: CallContext = {}): Promise<string> {
    return resolveName(this.#context.store, index, call);
  }

  override async license(): Promise<License> {
    const { store } = this.#context;
    const { licensee = OPEN_LICENSE, nodeLimit = null } = (await store.license()) ?? {};
    const inUse = (await store.nodes.list()).length;
    return { licensee, nodes_in_use: inUse, nodes_limit: nodeLimit };
  }
}

/** Throws permission_denied if a license has no room for another node. */
export function refuseUnlicensed(limit: number | null, others: number): void {
  if (limit === null || others < limit) return;
  const message = `the license allows ${limit} nodes, and as many are registered`;
  throw new LhsError('permission_denied', message, { details: { nodes_limit: limit } });
}
