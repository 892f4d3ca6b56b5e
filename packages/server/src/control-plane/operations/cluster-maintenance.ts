import type { CallContext, IndexRequest } from '@lakehouse-search/contract';
import { type BackendApi, OPERATIONS, type ServiceApi } from '@lakehouse-search/contract/internal';
import { builtWriter, type ClusterContext, jobService } from '../cluster-context.ts';
import { requireWhole } from './cluster-caller.ts';
import { resolveName } from './cluster-job-api.ts';

/** Work on the files of an index that changes none of its documents. */
const MAINTENANCE = ['compact', 'upgrade', 'reindexWindow', 'moveWindows'] as const;
type Maintenance = (typeof MAINTENANCE)[number];

/**
 * Maintenance by the nodes of indexes, under the epochs of the connectors. Searches go on with what
 * they read.
 */
export function clusterMaintenance(context: ClusterContext): Pick<BackendApi, Maintenance> {
  const run =
    (name: Maintenance) =>
    async (request?: IndexRequest, call: CallContext = {}) => {
      const checked = OPERATIONS[name].check(request ?? {}) as IndexRequest;
      requireWhole(call, name);
      const index = await resolveName(context.store, checked.index, call);
      const { address } = await builtWriter(context, index, call);
      const service: ServiceApi = await jobService(context, index, address);
      return service[name]({ ...checked, index } as never, call);
    };
  return Object.fromEntries(MAINTENANCE.map((name) => [name, run(name)])) as never;
}
