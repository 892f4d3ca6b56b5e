import type { Definition } from '@lakehouse-search/engine';
import { sharedPlace } from '@lakehouse-search/engine/internal';
import type { Placement } from '../../store/placements.ts';

/** An index and its number of shards. */
export interface ShardedIndex {
  readonly index: string;
  readonly shards: number;
  /** All nodes read it from a store: one node has all of its shards, and writes it. */
  readonly isShared?: boolean;
}

/** An index of a definition. */
export const shardedIndex = (index: string, definition: Definition): ShardedIndex => {
  const { shards = 1 } = definition;
  return { index, shards, isShared: sharedPlace(definition) !== null };
};

/**
 * Assigns shards that have no node, or whose node has left for good: each to the node with the
 * fewest shards, the first one by name among equals, in the order of indexes and shards; those of a
 * shared index to one node. A shard of a node that has not left stays. Returns the changes; none if
 * there are no living nodes.
 */
export function assignShards(
  indexes: readonly ShardedIndex[],
  living: readonly string[],
  placements: readonly Placement[],
  hasLeft: (node: string) => boolean = (node) => !living.includes(node),
): readonly Placement[] {
  const placed = new Map(
    placements
      .filter(({ node }) => !hasLeft(node))
      .map(({ index, shard, node }) => [nameOf(index, shard), node]),
  );
  const load = new Map([...living].sort().map((node) => [node, 0]));
  for (const node of placed.values()) {
    const own = load.get(node);
    if (own !== undefined) load.set(node, own + 1);
  }
  if (load.size === 0) return [];
  const changes: Placement[] = [];
  for (const { index, shards, isShared = false } of indexes) {
    const names = Array.from({ length: shards }, (_, shard) => nameOf(index, shard));
    const writer = isShared ? names.map((name) => placed.get(name)).find(Boolean) : undefined;
    let last = writer;
    for (let shard = 0; shard < shards; shard++) {
      if (placed.has(names[shard])) continue;
      const [least] = [...load].reduce((least, each) => (each[1] < least[1] ? each : least));
      const node = isShared ? (last ??= least) : least;
      load.set(node, load.get(node)! + 1);
      changes.push({ index, shard, node });
    }
  }
  return changes;
}

const nameOf = (index: string, shard: number): string => `${index}/${shard}`;
