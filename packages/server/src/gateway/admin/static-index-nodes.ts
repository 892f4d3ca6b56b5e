import { type Alias, type CallContext, LhsError } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { askNode, type CommitHeader } from '@lakehouse-search/engine/internal';
import { withoutOnly } from '../../cluster/with-only.ts';
import {
  type BuiltPart,
  type IndexNodes,
  type LoadedNode,
  nameTaken,
  type RestoredIndex,
  type RestoredNames,
  requireAllShards,
} from '../../control-plane/operations/index-nodes.ts';
import type { AdminNodes } from './admin-nodes.ts';

/** The nodes of a fixed list. */
export class StaticIndexNodes implements IndexNodes {
  readonly #nodes: AdminNodes;

  constructor(nodes: AdminNodes) {
    this.#nodes = nodes;
  }

  /** Nodes of a fixed list drop an index within the call. */
  async free(): Promise<void> {}

  resolve(index: string | undefined, call: CallContext): Promise<string> {
    return this.#nodes.resolve(index, call);
  }

  async parts(index: string, call: CallContext): Promise<readonly BuiltPart[]> {
    await this.#nodes.routing.refresh();
    const name = await this.resolve(index, call);
    const held = this.#nodes.routing.seen.flatMap(({ address, state, up }) => {
      const own = state?.indexes.find((one) => one.index === name);
      if (!up || own === undefined || own.commits.length === 0) return [];
      const { ordinals, shards, commits } = own;
      const [{ definition }] = commits;
      return [{ node: state!.node, address, ordinals, shards, definition }];
    });
    if (held.length === 0) {
      const next = [{ step: 'reindex' as const, index: name }];
      throw new LhsError('index_not_built', `no node has built "${name}"`, { next });
    }
    requireAllShards(name, Math.max(...held.map(({ shards }) => shards)), held);
    return held;
  }

  async definition(index: string): Promise<string> {
    const { client, commit } = this.#routed(index);
    const send = (operation: string, request: Uint8Array) =>
      client.read({ index, commit, shard: 0, operation, request });
    const { definition } = await askNode<CommitHeader>(send, 'commit', {});
    return withoutOnly(definition.text);
  }

  async indexNames(): Promise<readonly string[]> {
    await this.#nodes.routing.refresh();
    return this.#nodes.routing.names();
  }

  async aliases(): Promise<readonly Alias[]> {
    return [...this.#nodes.routing.aliases()].map(([alias, index]) => ({ alias, index }));
  }

  async nodes(): Promise<readonly LoadedNode[]> {
    const up = new Set(this.#nodes.up());
    return this.#nodes.routing.seen.flatMap(({ address, state }) => {
      if (!up.has(address)) return [];
      const shards = state?.indexes.reduce((sum, { ordinals }) => sum + ordinals.length, 0) ?? 0;
      return [{ node: state?.node ?? address, address, shards }];
    });
  }

  async absent(): Promise<readonly string[]> {
    return this.#nodes.routing.seen
      .filter(({ up }) => !up)
      .map(({ address }) => `the node at ${address} does not answer: not examined`);
  }

  service(address: string): ServiceApi {
    return this.#nodes.client(address).service();
  }

  async writer(address: string): Promise<ServiceApi> {
    return this.service(address);
  }

  /** Parts that are behind are brought to the table's head, where the others are. */
  async adopt(index: RestoredIndex, call: CallContext): Promise<RestoredNames> {
    const { name, parts, isMixed, wanted, aliases } = index;
    if (isMixed) {
      await Promise.all(
        parts.map(({ address }) => this.service(address).sync({ index: name }, call)),
      );
    }
    const free: string[] = [];
    const { routing } = this.#nodes;
    const indexes = new Set([name, ...routing.names()]);
    for (const alias of aliases === 'none' ? [] : wanted) {
      const isTaken = routing.aliases().has(alias) || indexes.has(alias);
      if (isTaken && aliases === 'all') throw nameTaken('already_exists', alias);
      if (isTaken) continue;
      for (const { address } of parts) {
        await this.service(address).setAlias({ alias, index: name }, call);
      }
      free.push(alias);
    }
    await routing.refresh();
    return { aliases: free, left_out: wanted.filter((alias) => !free.includes(alias)) };
  }

  #routed(index: string) {
    const replicas = this.#nodes.routing.current(index)?.shards.flatMap((own) => own.replicas);
    const found = replicas?.find(({ address }) => !this.#nodes.routing.isDown(address));
    if (found === undefined) throw new LhsError('unreachable', `no node of "${index}" answers`);
    return { client: this.#nodes.client(found.address), commit: found.commit };
  }
}
