import type { RoutedIndex, RoutedShard } from '../cluster/routing.ts';

/**
 * A new route, with the replicas of the previous one for shards that have no node any more while
 * the visible state stays the same. A node whose lease has ended writes no more; its shards can be
 * read as long as it answers the gateway.
 */
export function withKeptReplicas(
  next: RoutedIndex,
  previous: RoutedIndex | undefined,
): RoutedIndex {
  if (previous === undefined || !hasSameState(next, previous)) return next;
  const shards = next.shards.map((shard, i) => (isEmpty(shard) ? previous.shards[i] : shard));
  return { ...next, shards };
}

/** A shard with a replica of the previous route is at the previous commit, and so are the others. */
function hasSameState(next: RoutedIndex, previous: RoutedIndex): boolean {
  if (next.snapshot !== previous.snapshot || next.shards.length !== previous.shards.length) {
    return false;
  }
  return next.shards.every(
    (shard, i) => isEmpty(shard) || sharesReplica(shard, previous.shards[i]),
  );
}

const isEmpty = ({ replicas }: RoutedShard): boolean => replicas.length === 0;

function sharesReplica({ replicas }: RoutedShard, previous: RoutedShard): boolean {
  if (isEmpty(previous)) return true;
  const known = new Set(previous.replicas.map(({ node, commit }) => `${node} ${commit}`));
  return replicas.some(({ node, commit }) => known.has(`${node} ${commit}`));
}
