import type { Placement } from '../../store/placements.ts';

/**
 * The shards of an index that move when it is built again: to living nodes that hold none of its
 * shards, from the node that holds most of them, as long as that one holds two more shards of all
 * indexes than the other. Returns the new placements.
 */
export function spreadShards(
  index: string,
  living: readonly string[],
  placements: readonly Placement[],
): readonly Placement[] {
  const moved = new Map<number, Placement>();
  let now = placements;
  for (const node of [...living].sort()) {
    const held = now.filter((each) => each.index === index);
    if (held.some((each) => each.node === node)) continue;
    for (;;) {
      const next = nextMove(index, node, now);
      if (next === undefined) break;
      moved.set(next.shard, next);
      now = now.map((each) => (each.index === index && each.shard === next.shard ? next : each));
    }
  }
  return [...moved.values()].sort((a, b) => a.shard - b.shard);
}

/** The last shard of the index on the node with most of them, if that node has two more. */
function nextMove(
  index: string,
  to: string,
  placements: readonly Placement[],
): Placement | undefined {
  const load = (node: string) => placements.filter((each) => each.node === node).length;
  const own = Map.groupBy(
    placements.filter((each) => each.index === index && each.node !== to),
    ({ node }) => node,
  );
  const [from] = [...own].sort(([a, one], [b, other]) => other.length - one.length || order(a, b));
  if (from === undefined || load(from[0]) < load(to) + 2) return undefined;
  const shard = Math.max(...from[1].map((each) => each.shard));
  return { index, shard, node: to };
}

const order = (a: string, b: string): number => (a < b ? -1 : 1);
