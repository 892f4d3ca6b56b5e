import { createHash } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { preferred } from '../../cluster/copies.ts';
import type { SeenNode } from '../../cluster/route-of.ts';
import { partOf } from '../../cluster/with-only.ts';

/** A node and the definition of its part of an index. */
export interface PlacedPart {
  readonly address: string;
  readonly ordinals: readonly number[];
  readonly definition: string;
}

/**
 * Which node holds which of these shards of an index (default: all): those that were started for an
 * ordinal hold it, the others take turns. One in a store is on one node. Throws invalid_definition,
 * and unreachable where no node can hold a shard.
 */
export function placeShards(
  definition: string,
  nodes: readonly SeenNode[],
  ordinals?: readonly number[],
): readonly PlacedPart[] {
  const { index, shards = 1, storage } = registeredDefinition(definition);
  if (storage !== undefined)
    return [writerOf(index, nodes, { ordinals: [...Array(shards).keys()], definition })];
  const byNode = new Map<string, number[]>();
  for (const ordinal of ordinals ?? Array(shards).keys()) {
    for (const { address } of holders(index, ordinal, nodes)) {
      byNode.set(address, [...(byNode.get(address) ?? []), ordinal]);
    }
  }
  return [...byNode].map(([address, ordinals]) => ({
    address,
    ordinals,
    definition: partOf(definition, ordinals, shards),
  }));
}

/** All nodes read such an index from its store; one has all of its shards, and writes them. */
function writerOf(
  index: string,
  nodes: readonly SeenNode[],
  all: Omit<PlacedPart, 'address'>,
): PlacedPart {
  const up = nodes.filter((node) => node.up).map((node) => ({ ...node, node: node.address }));
  const [writer] = preferred(index, up);
  if (writer === undefined) throw new LhsError('unreachable', `no node takes "${index}"`);
  return { ...all, address: writer.address };
}

function holders(index: string, ordinal: number, nodes: readonly SeenNode[]) {
  const up = nodes.filter((node) => node.up);
  const named = up.filter(({ state }) => state?.takes.includes(ordinal));
  if (named.length > 0) return named;
  const free = up.filter(({ state }) => state?.takes.length === 0);
  if (free.length === 0) {
    throw new LhsError('unreachable', `no node takes shard ${ordinal} of "${index}"`);
  }
  const turn = createHash('sha256').update(index).digest().readUInt32LE() + ordinal;
  return [free[turn % free.length]];
}
