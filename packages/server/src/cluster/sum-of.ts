import { type NodeState, readableIndex } from './node-state.ts';

type HoldingNode = Pick<NodeState, 'indexes' | 'followed'>;

/**
 * Documents or bytes of the newest commits of an index. Several nodes may hold a shard, as copies
 * or because it moves: it counts once, as the node with the newest commit has it.
 */
export function sumOf(nodes: readonly HoldingNode[], name: string, what: 'docs' | 'bytes'): number {
  const newest = nodes
    .flatMap((node) => readableIndex(node, name) ?? [])
    .flatMap(({ commits }) => commits.slice(0, 1))
    .toSorted((a, b) => Number(BigInt(a.sequence) - BigInt(b.sequence)));
  const byShard = new Map(newest.flatMap(({ sizes }) => sizes.map((one) => [one.shard, one])));
  return [...byShard.values()].reduce((sum, one) => sum + one[what], 0);
}

/** The number of the live generation of an index: the largest of its nodes. 0: none is built. */
export function generationOf(nodes: readonly HoldingNode[], name: string): number {
  const own = nodes.flatMap((node) => readableIndex(node, name) ?? []);
  return Math.max(0, ...own.map(({ commits }) => commits[0]?.generation ?? 0));
}
