import type { CallContext } from '@lakehouse-search/contract';
import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { lackingCopies } from '../../cluster/copies.ts';
import { readableIndex } from '../../cluster/node-state.ts';
import type { AdminNodes } from './admin-nodes.ts';
import { definitionAt } from './static-definitions.ts';

/**
 * The shards of an index that no node has which answers, and those that fewer nodes have than its
 * definition requires. A definition without `replicas` requires no copies.
 */
export async function faultsAt(nodes: AdminNodes, name: string, call: CallContext) {
  const { nodesOf, copies, readers } = holdersAt(nodes, name);
  const missing = nodesOf.flatMap((count, shard) => (count === 0 ? [shard] : []));
  const short = lackingCopies(nodesOf, copies);
  const isLacking = short.length > 0 && (await hasReplicas(nodes, readers[0], name, call));
  return {
    ...(missing.length === 0 ? {} : { missing_shards: missing }),
    ...(isLacking ? { lacking_copies: short } : {}),
  };
}

/** How many nodes that answer have each shard, and how many are to have a commit. */
function holdersAt({ routing }: AdminNodes, name: string) {
  const parts = routing.seen.flatMap(({ address, up, state }) => {
    const own = state === null ? undefined : readableIndex(state, name);
    return own === undefined ? [] : [{ ...own, address, up }];
  });
  const up = parts.filter((part) => part.up);
  const total = Math.max(0, ...parts.map(({ shards }) => shards));
  const having = (shard: number) => up.filter(({ ordinals }) => ordinals.includes(shard)).length;
  return {
    nodesOf: Array.from({ length: total }, (_, shard) => having(shard)),
    copies: Math.max(0, ...up.map((part) => part.copies)),
    readers: up.map(({ address }) => address),
  };
}

async function hasReplicas(
  nodes: AdminNodes,
  address: string,
  index: string,
  call: CallContext,
): Promise<boolean> {
  const definition = await definitionAt(nodes, address, index, call);
  return registeredDefinition(definition).replicas !== undefined;
}
