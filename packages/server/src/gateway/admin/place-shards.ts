import { createHash } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import { parseDocument } from 'yaml';
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
 * ordinal hold it, the others take turns. A shared index is on one node. Throws unreachable where
 * no node can hold a shard.
 */
export function placeShards(
  definition: string,
  nodes: readonly SeenNode[],
  ordinals?: readonly number[],
): readonly PlacedPart[] {
  const { index, shards, isShared } = readSharding(definition);
  if (isShared)
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

/** All nodes read a shared index from its store; one has all of its shards, and writes them. */
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

/** The name and the number of shards of a definition, as far as it can be read. */
export function readSharding(definition: string): {
  readonly index: string;
  readonly shards: number;
  /** All nodes read it from a store. */
  readonly isShared: boolean;
  /** It says how many copies it requires. */
  readonly hasReplicas: boolean;
} {
  const options = { maxAliasCount: 0, logLevel: 'silent', uniqueKeys: false };
  const document = parseDocument(definition, options as object);
  const index = document.getIn(['index']);
  const shards = document.getIn(['sharding', 'shards']);
  const valid = Number.isInteger(shards) && (shards as number) > 0 && (shards as number) <= 1024;
  const [isShared, hasReplicas] = [document.has('storage'), document.has('replicas')];
  return { index: String(index), shards: valid ? (shards as number) : 1, isShared, hasReplicas };
}
