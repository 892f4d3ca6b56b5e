import type {
  CallContext,
  CompactRequest,
  CompactResponse,
  MoveWindowsRequest,
  MoveWindowsResponse,
  ReindexWindowRequest,
  ReindexWindowResponse,
  UpgradeRequest,
  UpgradeResponse,
} from '@lakehouse-search/contract';
import {
  checkCompactRequest,
  checkMoveWindowsRequest,
  checkReindexWindowRequest,
  checkUpgradeRequest,
  type ResponseOf,
  type ServiceApi,
} from '@lakehouse-search/contract/internal';
import { overNodes } from '../../cluster/over-nodes.ts';
import { builtNodes, type ClusterContext, jobService } from '../cluster-context.ts';
import { requireWhole } from './cluster-caller.ts';
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

  async compact(request: CompactRequest = {}, call?: CallContext): Promise<CompactResponse> {
    const checked = checkCompactRequest(request);
    return this.#run('compact', checked, call, (node, own, on) => node.compact(own, on));
  }

  async upgrade(request: UpgradeRequest = {}, call?: CallContext): Promise<UpgradeResponse> {
    const checked = checkUpgradeRequest(request);
    return this.#run('upgrade', checked, call, (node, own, on) => node.upgrade(own, on));
  }

  /** Throws not_found if no node has the window. */
  async reindexWindow(
    request: ReindexWindowRequest,
    call?: CallContext,
  ): Promise<ReindexWindowResponse> {
    const checked = checkReindexWindowRequest(request);
    return this.#run('reindexWindow', checked, call, (node, own, on) =>
      node.reindexWindow(own, on),
    );
  }

  /** Throws not_found if no node has the windows. */
  async moveWindows(request: MoveWindowsRequest, call?: CallContext): Promise<MoveWindowsResponse> {
    const checked = checkMoveWindowsRequest(request);
    return this.#run('moveWindows', checked, call, (node, own, on) => node.moveWindows(own, on));
  }

  async #run<K extends Maintenance, R extends { readonly index?: string | undefined }>(
    name: K,
    request: R,
    call: CallContext = {},
    work: (node: ServiceApi, request: R, call: CallContext) => Promise<ResponseOf<K>>,
  ): Promise<ResponseOf<K>> {
    requireWhole(call, name);
    const { store } = this.#context;
    const index = await resolveName(store, request.index, call);
    const nodes = await builtNodes(this.#context, index, call);
    const parts = nodes.map(({ address, ordinals }) => ({
      ordinals,
      run: async () => {
        const service = await jobService(this.#context, index, address);
        return work(service, { ...request, index }, call);
      },
    }));
    return overNodes(name, parts);
  }
}
