import type {
  CallContext,
  MoveBucketRequest,
  ReshardPlan,
  ReshardRequest,
} from '@lakehouse-search/contract';
import { checkMoveBucketRequest, checkReshardRequest } from '@lakehouse-search/contract/internal';
import { commitVersion, type KnownIndex } from '../../open/open-index.ts';
import type { Definition } from '../../schema/definition.ts';
import { shardTable } from '../../schema/sharding/bucket-map.ts';
import { balancedTable } from '../../schema/sharding/bucket-plan.ts';
import type { ShardTable } from '../../schema/sharding/key-buckets.ts';
import { type BuiltTotals, reshardPlan } from '../../schema/sharding/reshard-plan.ts';
import { withBucketIn, withSharding } from '../../schema/sharding/with-sharding.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { alterLocal } from './alter.ts';
import type { LocalJobs } from './jobs.ts';

/** Which buckets get other shards with another number of shards. Throws index_not_found. */
export function planReshardLocal(
  indexes: LocalIndexes,
  request: ReshardRequest,
  call: CallContext,
): ReshardPlan {
  const { index, shards } = checkReshardRequest(request);
  const known = accessible(indexes, index, call);
  return planOf(indexes, known, shards, balancedTable(shardTable(known.definition), shards));
}

/** Gives an index another number of shards, by a job. Throws as an alter. */
export async function applyReshardLocal(
  indexes: LocalIndexes,
  request: ReshardRequest,
  call: CallContext,
  jobs: Pick<LocalJobs, 'run'>,
): Promise<ReshardPlan> {
  const { index, shards } = checkReshardRequest(request);
  const known = accessible(indexes, index, call);
  const table = balancedTable(shardTable(known.definition), shards);
  return apply(indexes, known, { shards, table, call, jobs });
}

/** Gives a bucket another shard, by a job. Throws invalid_argument, and as an alter. */
export async function moveBucketLocal(
  indexes: LocalIndexes,
  request: MoveBucketRequest,
  call: CallContext,
  jobs: Pick<LocalJobs, 'run'>,
): Promise<ReshardPlan> {
  const { index, bucket, shard } = checkMoveBucketRequest(request);
  const known = accessible(indexes, index, call);
  const { shards = 1 } = known.definition;
  const table = withBucketIn(known.definition, bucket, shard);
  return apply(indexes, known, { shards, table, call, jobs });
}

interface Applied {
  readonly shards: number;
  readonly table: ShardTable;
  readonly call: CallContext;
  readonly jobs: Pick<LocalJobs, 'run'>;
}

async function apply(
  indexes: LocalIndexes,
  known: KnownIndex,
  { shards, table, call, jobs }: Applied,
): Promise<ReshardPlan> {
  const plan = planOf(indexes, known, shards, table);
  const { only, text, shards: former = 1 } = known.definition;
  if (plan.moves.length === 0 && former === shards) return plan;
  const definition_yaml = withSharding(text, shards, table, only);
  const request = { index: plan.index, definition_yaml, apply: true };
  const { generation } = await alterLocal(indexes, request, call, jobs);
  return { ...plan, applied: true, generation };
}

function planOf(
  indexes: LocalIndexes,
  known: KnownIndex,
  shards: number,
  table: ShardTable,
): ReshardPlan {
  const definition: Definition = known.definition;
  return reshardPlan(definition, shards, table, totalsOf(indexes, known));
}

function totalsOf(indexes: LocalIndexes, known: KnownIndex): BuiltTotals | null {
  if (commitVersion(known.folder) === null) return null;
  const { snapshot } = indexes.hold(known);
  try {
    return { docs: snapshot.liveDocs, bytes: snapshot.bytes, generation: snapshot.generation };
  } finally {
    snapshot.release();
  }
}
