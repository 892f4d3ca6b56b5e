import type { NodeState } from './node-state.ts';

/**
 * Documents or bytes of the newest commits of an index. Several nodes may hold a shard, as copies
 * or because it moves: it counts once, as the node with the newest commit has it.
 */
export function sumOf(
  nodes: readonly Pick<NodeState, 'indexes'>[],
  name: string,
  what: 'docs' | 'bytes',
): number {
  const newest = nodes
    .flatMap(({ indexes }) => indexes.filter(({ index }) => index === name))
    .flatMap(({ commits }) => commits.slice(0, 1))
    .toSorted((a, b) => Number(BigInt(a.sequence) - BigInt(b.sequence)));
  const byShard = new Map(newest.flatMap(({ sizes }) => sizes.map((one) => [one.shard, one])));
  return [...byShard.values()].reduce((sum, one) => sum + one[what], 0);
}

/** The number of the live generation of an index: the largest of its nodes. 0: none is built. */
export function generationOf(nodes: readonly Pick<NodeState, 'indexes'>[], name: string): number {
  const own = nodes.flatMap(({ indexes }) => indexes.filter(({ index }) => index === name));
  return Math.max(0, ...own.map(({ commits }) => commits[0]?.generation ?? 0));
}
