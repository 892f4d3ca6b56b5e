import type { ReshardPlan } from '@lakehouse-search/contract';
import { bytes, count } from '../../terminal/figures.ts';

/** A plan of other shards, or what was done, as lines. */
export function reshardLines(plan: ReshardPlan): readonly string[] {
  const { index, former_shards: former, shards, moves, buckets } = plan;
  const change = former === shards ? `${shards} shards` : `${former} to ${shards} shards`;
  if (moves.length === 0 && former === shards) return [`${index}  ${change}: nothing to move`];
  const cost =
    plan.docs_moved === null
      ? 'the index is not built yet'
      : `about ${count(plan.docs_moved)} documents, ${bytes(plan.bytes_moved ?? 0)}`;
  const done = plan.applied ? 'moved' : 'to move';
  return [
    `${index}  ${change} · ${count(moves.length)} of 1,024 buckets ${done} · ${cost}`,
    `buckets by shard: ${buckets.map((own) => count(own)).join(', ')}`,
  ];
}
