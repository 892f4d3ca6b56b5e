import type { ReshardPlan } from '@lakehouse-search/contract';
import type { Definition } from '../definition.ts';
import { shardTable } from './bucket-map.ts';
import { bucketCounts, movesBetween } from './bucket-plan.ts';
import { KEY_BUCKETS, type ShardTable } from './key-buckets.ts';

/** What an index holds that is built. */
export interface BuiltTotals {
  readonly docs: number;
  readonly bytes: number;
  readonly generation: number;
}

/** What another table of buckets changes in an index; null: the index is not built. */
export function reshardPlan(
  now: Pick<Definition, 'index' | 'shards' | 'map'>,
  shards: number,
  next: ShardTable,
  built: BuiltTotals | null,
): ReshardPlan {
  const moves = movesBetween(shardTable(now), next);
  const part = (total: number) => Math.round((total * moves.length) / KEY_BUCKETS);
  return {
    index: now.index,
    former_shards: now.shards ?? 1,
    ...{ shards, moves, buckets: bucketCounts(next, shards) },
    docs_moved: built === null ? null : part(built.docs),
    bytes_moved: built === null ? null : part(built.bytes),
    ...{ applied: false, generation: built?.generation ?? 0 },
  };
}
