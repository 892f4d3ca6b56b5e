import { type Alias, type CallContext, LhsError } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { registeredDefinition } from '@lakehouse-search/engine/internal';
import type { NodeState } from '../../cluster/node-state.ts';
import type { ClusterStore } from '../../store/open-store.ts';
import {
  builtWriter,
  type ClusterContext,
  currentNodes,
  jobService,
  livingNodes,
  publishRoute,
} from '../cluster-context.ts';
import { EVER } from './cluster-index-api.ts';
import { resolveName } from './cluster-job-api.ts';
import { addDefinition, takenNames } from './index-names.ts';
import {
  type BuiltPart,
  type IndexNodes,
  type LoadedNode,
  nameTaken,
  type RestoredIndex,
  type RestoredNames,
} from './index-nodes.ts';
import { freeName } from './remove-parts.ts';

/** The nodes of a cluster as its store knows them. */
export class LedIndexNodes implements IndexNodes {
  readonly #context: ClusterContext;

  constructor(context: ClusterContext) {
    this.#context = context;
  }

  resolve(index: string | undefined, call: CallContext): Promise<string> {
    return resolveName(this.#context.store, index, call);
  }

  async parts(index: string, call: CallContext): Promise<readonly BuiltPart[]> {
    const { node, address, own } = await builtWriter(this.#context, index, call);
    const [{ definition }] = own.commits;
    return [{ node, address, ordinals: own.ordinals, definition }];
  }

  async definition(index: string): Promise<string> {
    return (await this.#context.store.definitions.get(index))!.definition;
  }

  async indexNames(): Promise<readonly string[]> {
    return (await this.#context.store.definitions.list()).map(({ index }) => index);
  }

  aliases(): Promise<readonly Alias[]> {
    return this.#context.store.aliases.list();
  }

  async nodes(): Promise<readonly LoadedNode[]> {
    const { store } = this.#context;
    const living = await livingNodes(store);
    const placed = await store.placements.list();
    if (living.length === 0)
      throw new LhsError('unreachable', 'no node of the cluster is reachable');
    return living.map(({ node, address }) => {
      return { node, address, shards: placed.filter((each) => each.node === node).length };
    });
  }

  /** Nodes whose lease has ended may come back with their disks. */
  async absent(index: string): Promise<readonly string[]> {
    const { store } = this.#context;
    const living = new Set((await livingNodes(store)).map(({ node }) => node));
    return (await store.nodes.list(EVER)).flatMap(({ node, state }) => {
      const { indexes } = JSON.parse(state) as NodeState;
      if (living.has(node) || !indexes.some((own) => own.index === index)) return [];
      return [`node "${node}" had shards of the index and does not answer: not examined`];
    });
  }

  service(address: string): ServiceApi {
    return this.#context.nodes.at(address).service();
  }

  writer(address: string, index: string): Promise<ServiceApi> {
    return jobService(this.#context, index, address);
  }

  free(name: string, call: CallContext): Promise<void> {
    return freeName(this.#context, name, call);
  }

  /** In one transaction; from there on the cluster has the index. */
  async adopt(index: RestoredIndex): Promise<RestoredNames> {
    const { store } = this.#context;
    const names = await store.change(null, (cluster) => addIndex(cluster, index));
    const { name, definition } = index;
    const { shards = 1 } = registeredDefinition(definition);
    await publishRoute(store, null, { index: name, shards }, await currentNodes(this.#context));
    return names;
  }
}

async function addIndex(
  cluster: ClusterStore,
  { name, definition, parts, wanted, aliases }: RestoredIndex,
): Promise<RestoredNames> {
  if (!(await addDefinition(cluster, name, definition))) throw nameTaken('index_exists', name);
  // of several parts, the node of the largest one gets the others
  const { node } = parts.reduce((a, b) => (b.ordinals.length > a.ordinals.length ? b : a));
  await cluster.placements.set({ index: name, node });
  const taken = await takenNames(cluster);
  const other = wanted.find((alias) => taken.has(alias));
  if (aliases === 'all' && other !== undefined) throw nameTaken('already_exists', other);
  const free = aliases === 'none' ? [] : wanted.filter((alias) => !taken.has(alias));
  for (const alias of free) await cluster.aliases.set({ alias, index: name });
  return { aliases: free, left_out: wanted.filter((alias) => !free.includes(alias)) };
}
