import type {
  CallContext,
  MoveBucketRequest,
  ReshardPlan,
  ReshardRequest,
} from '@lakehouse-search/contract';
import {
  checkMoveBucketRequest,
  checkReshardRequest,
  type IndexApi,
} from '@lakehouse-search/contract/internal';
import type { Definition } from '@lakehouse-search/engine';
import {
  type BuiltTotals,
  balancedTable,
  registeredDefinition,
  reshardPlan,
  shardTable,
  withBucketIn,
  withSharding,
} from '@lakehouse-search/engine/internal';
import { generationOf, sumOf } from '../../cluster/sum-of.ts';
import { type ClusterContext, currentNodes } from '../cluster-context.ts';
import { requireWhole } from './cluster-caller.ts';
import { resolveName } from './cluster-job-api.ts';

/** Other shards for the documents of an index; a job of the kind `alter` makes them. */
export class ClusterReshardApi
  implements Pick<IndexApi, 'planReshard' | 'applyReshard' | 'moveBucket'>
{
  readonly #context: ClusterContext;
  readonly #jobs: Pick<IndexApi, 'alterIndex'>;

  constructor(context: ClusterContext, jobs: Pick<IndexApi, 'alterIndex'>) {
    this.#context = context;
    this.#jobs = jobs;
  }

  async planReshard(request: ReshardRequest, call: CallContext = {}): Promise<ReshardPlan> {
    const { index, shards } = checkReshardRequest(request);
    requireWhole(call, 'planReshard');
    const definition = await this.#definition(index, call);
    return this.#plan(definition, shards, balancedTable(shardTable(definition), shards));
  }

  async applyReshard(request: ReshardRequest, call: CallContext = {}): Promise<ReshardPlan> {
    const { index, shards } = checkReshardRequest(request);
    requireWhole(call, 'applyReshard');
    const definition = await this.#definition(index, call);
    const table = balancedTable(shardTable(definition), shards);
    return this.#apply(definition, shards, table, call);
  }

  async moveBucket(request: MoveBucketRequest, call: CallContext = {}): Promise<ReshardPlan> {
    const { index, bucket, shard } = checkMoveBucketRequest(request);
    requireWhole(call, 'moveBucket');
    const definition = await this.#definition(index, call);
    const table = withBucketIn(definition, bucket, shard);
    return this.#apply(definition, definition.shards ?? 1, table, call);
  }

  async #definition(name: string | undefined, call: CallContext): Promise<Definition> {
    const { store } = this.#context;
    const index = await resolveName(store, name, call);
    return registeredDefinition((await store.definitions.get(index))!.definition);
  }

  async #apply(
    definition: Definition,
    shards: number,
    table: ReturnType<typeof shardTable>,
    call: CallContext,
  ): Promise<ReshardPlan> {
    const plan = await this.#plan(definition, shards, table);
    if (plan.moves.length === 0 && plan.former_shards === shards) return plan;
    const definition_yaml = withSharding(definition.text, shards, table);
    const { index } = definition;
    const done = await this.#jobs.alterIndex({ index, definition_yaml, apply: true }, call);
    return { ...plan, applied: true, generation: done.generation };
  }

  async #plan(
    definition: Definition,
    shards: number,
    table: ReturnType<typeof shardTable>,
  ): Promise<ReshardPlan> {
    const { index } = definition;
    const route = await this.#context.store.routes.get(index);
    if (route === undefined) return reshardPlan(definition, shards, table, null);
    const nodes = await currentNodes(this.#context);
    const totals: BuiltTotals = {
      docs: sumOf(nodes, index, 'docs'),
      bytes: sumOf(nodes, index, 'bytes'),
      generation: generationOf(nodes, index),
    };
    return reshardPlan(definition, shards, table, totals);
  }
}
