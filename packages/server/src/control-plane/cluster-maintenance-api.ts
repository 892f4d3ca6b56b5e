import {
  type CallContext,
  type CompactRequest,
  type CompactResponse,
  checkCompactRequest,
  checkMoveWindowsRequest,
  checkReindexWindowRequest,
  checkUpgradeRequest,
  type MoveWindowsRequest,
  type MoveWindowsResponse,
  type ReindexWindowRequest,
  type ReindexWindowResponse,
  type UpgradeRequest,
  type UpgradeResponse,
} from '@lakehouse-search/contract';
import { overNodes } from '../cluster/over-nodes.ts';
import { requireWhole } from './cluster-caller.ts';
import { builtNodes, type ClusterContext, jobService } from './cluster-context.ts';
import { resolveName } from './cluster-job-api.ts';

type Maintenance = 'compact' | 'upgrade' | 'reindexWindow' | 'moveWindows';

/**
 * Work on the files of an index that changes none of its documents. All nodes of the index do it on
 * their shards, under the epoch of the connector. Searches go on with what they read.
 */
export class ClusterMaintenanceApi {
  readonly #context: ClusterContext;

  constructor(context: ClusterContext) {
    this.#context = context;
  }

  async compact(request: CompactRequest = {}, call?: CallContext) {
    return (await this.#run('compact', checkCompactRequest(request), call)) as CompactResponse;
  }

  async upgrade(request: UpgradeRequest = {}, call?: CallContext) {
    return (await this.#run('upgrade', checkUpgradeRequest(request), call)) as UpgradeResponse;
  }

  /** Throws not_found if no node has the window. */
  async reindexWindow(request: ReindexWindowRequest, call?: CallContext) {
    const checked = checkReindexWindowRequest(request);
    return (await this.#run('reindexWindow', checked, call)) as ReindexWindowResponse;
  }

  /** Throws not_found if no node has the windows. */
  async moveWindows(request: MoveWindowsRequest, call?: CallContext) {
    const checked = checkMoveWindowsRequest(request);
    return (await this.#run('moveWindows', checked, call)) as MoveWindowsResponse;
  }

  async #run(
    name: Maintenance,
    request: { readonly index?: string | undefined },
    call: CallContext = {},
  ): Promise<unknown> {
    requireWhole(call, name);
    const { store } = this.#context;
    const index = await resolveName(store, request.index, call);
    const nodes = await builtNodes(this.#context, index, call);
    const parts = nodes.map(({ address, ordinals }) => ({
      ordinals,
      run: async () => {
        const service = await jobService(this.#context, index, address);
        const work = service[name] as (request: object, call: CallContext) => Promise<unknown>;
        return work.call(service, { ...request, index }, call);
      },
    }));
    return overNodes(name, parts);
  }
}
