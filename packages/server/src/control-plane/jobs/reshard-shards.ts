import { type AlterPlan, LhsError } from '@lakehouse-search/contract';
import type { Definition } from '@lakehouse-search/engine';
import { definitionDigest, registeredDefinition } from '@lakehouse-search/engine/internal';
import { mergeAlterPlan } from '../../cluster/merge-indexes.ts';
import { definitionOf } from '../../cluster/node-state.ts';
import { generationOf } from '../../cluster/sum-of.ts';
import { withOnly } from '../../cluster/with-only.ts';
import type { StoredDefinition } from '../../store/definitions.ts';
import type { DroppedPart } from '../../store/dropped-indexes.ts';
import type { Placement } from '../../store/placements.ts';
import { currentNodes, jobService, publishWithin } from '../cluster-context.ts';
import { pause } from '../leader/leadership.ts';
import { EVER } from '../operations/cluster-index-api.ts';
import { freeName } from '../operations/remove-parts.ts';
import { assignShards, shardedIndex } from '../placement/assign-shards.ts';
import { nodesBehind } from '../placement/level-nodes.ts';
import type { LivingNode } from '../placement/route-over.ts';
import { type JobNode, nodesOf } from './job-nodes.ts';
import { alterPart, putBack } from './put-back.ts';
import { buildAll, discardAll, type Staged } from './rebuild-shards.ts';
import { type RunningJob, refuseStopped } from './running-job.ts';

/** Turns of syncs that bring nodes to one snapshot. */
const LEVEL_TURNS = 10;
const BACK_TURNS = 20;
const BACK_MS = 1000;

/** What a reshard makes of an index. */
interface Reshard {
  readonly stored: StoredDefinition;
  /** The new definition. */
  readonly text: string;
  readonly shards: number;
  readonly target: readonly Placement[];
}

/**
 * Spreads the documents of an index over shards in another way: the definition has another number
 * of shards, or another map of buckets.
 *
 * 1. Shards that are new get nodes. Every node of the new spread stages its part, from the rows of
 *    the table that belong to its buckets. Searches and nodes go on with the former shards.
 * 2. All parts are promoted and brought to one snapshot. The route still names the former commits,
 *    which nodes keep open.
 * 3. Definition, placements and route change in one transaction with the end of the job. Nodes
 *    that have no shard any more remove their files.
 *
 * After a failure, what was staged is discarded, and nodes that have changed go back.
 */
export async function reshardShards(run: RunningJob, text: string): Promise<void> {
  const { context, job } = run;
  const stored = (await context.store.definitions.get(job.index))!;
  const { shards: from = 1 } = registeredDefinition(stored.definition);
  const { shards = 1 } = registeredDefinition(text);
  const holders = await nodesOf(run, from);
  const target = await targetOf(run, registeredDefinition(text));
  const reshard = { stored, text, shards, target };
  const isBuilt = (await context.store.routes.get(job.index)) !== undefined;
  const staged: Staged[] = [];
  try {
    const parts = await partsOf(run, reshard, holders);
    if (isBuilt) await buildAll(run, parts, null, { staged, made: [] });
    await run.built();
    refuseStopped(run);
    const plans = isBuilt ? await promoteAll(run, staged) : await alterUnbuilt(run, text, parts);
    await commit(run, reshard, isBuilt ? await level(run, reshard) : [], plans);
  } catch (error) {
    await discardAll(run, staged);
    await goBack(run);
    throw error;
  } finally {
    for (const { steps } of staged) await steps.return?.().catch(() => {});
  }
}

/** Where the shards will be: those that remain stay, new ones go to the least loaded nodes. */
async function targetOf({ context, job }: RunningJob, definition: Definition) {
  const own = shardedIndex(job.index, definition);
  const { index, shards } = own;
  const { nodes, placements } = context.store;
  const living = (await nodes.list()).map(({ node }) => node);
  const kept = (await placements.list()).filter(
    (each) => each.index !== index || each.shard < shards,
  );
  const added = assignShards([own], living, kept, () => false);
  return [...kept.filter((each) => each.index === index), ...added];
}

/** The nodes of the new spread with their parts; nodes that are new to the index get it. */
async function partsOf(
  run: RunningJob,
  { text, shards, target }: Reshard,
  holders: readonly JobNode[],
): Promise<readonly JobNode[]> {
  const { context, job, signal } = run;
  const { index } = job;
  await freeName(context, index, { signal });
  const living = await currentNodes(context, { signal });
  const byNode = [...Map.groupBy(target, ({ node }) => node)];
  return Promise.all(
    byNode.map(async ([name, placed]): Promise<JobNode> => {
      const ordinals = placed.map(({ shard }) => shard).sort((a, b) => a - b);
      const definition = withOnly(text, ordinals);
      const holder = holders.find(({ node }) => node.node === name);
      if (holder !== undefined) {
        return { node: holder.node, own: { ...holder.own, ordinals }, definition };
      }
      const node = living.find((each) => each.node === name && !each.isSilent);
      if (node === undefined) throw new LhsError('unreachable', `node "${name}" does not answer`);
      const service = await jobService(context, index, node.address);
      await service.createIndex({ definition }, { signal });
      const made = {
        index,
        uuid: '',
        definition_version: 1,
        epoch: 0,
        commits: [],
        aliases: [],
        copies: 0,
      };
      return { node, own: { ...made, shards, ordinals } };
    }),
  );
}

/** Promotes what is staged. The plans of nodes that had the index. */
async function promoteAll(
  { context, job }: RunningJob,
  staged: readonly Staged[],
): Promise<readonly AlterPlan[]> {
  const plans: AlterPlan[] = [];
  for (const { at, generation } of staged) {
    const client = context.nodes.at(at.node.address);
    const { response } = await client.endBuild(job.index, generation, true);
    const plan = response as unknown as AlterPlan | undefined;
    if (at.definition !== undefined && plan !== undefined) plans.push(plan);
  }
  return plans;
}

/** An index that is not built has no documents: its nodes get the new definition alone. */
async function alterUnbuilt(
  { context, job }: RunningJob,
  text: string,
  parts: readonly JobNode[],
): Promise<readonly AlterPlan[]> {
  const { index } = job;
  const held = parts.filter(({ definition }) => definition !== undefined);
  return Promise.all(
    held.map(({ node: { address }, own: { ordinals } }) =>
      alterPart(context, text, { address, index, ordinals }),
    ),
  );
}

/** Brings the nodes of the new spread to one snapshot. Throws unreachable, index_busy. */
async function level({ context, job }: RunningJob, { text, target }: Reshard) {
  const { index } = job;
  const names = new Set(target.map(({ node }) => node));
  const digest = definitionDigest(registeredDefinition(text));
  for (let turn = 0; turn < LEVEL_TURNS; turn++) {
    const nodes = (await currentNodes(context)).filter(({ node }) => names.has(node));
    const ready = nodes.filter(({ indexes, isSilent }) => {
      const own = isSilent ? undefined : indexes.find((each) => each.index === index);
      const newest = own?.commits[0];
      return newest !== undefined && definitionOf(newest) === digest;
    });
    if (ready.length < names.size) {
      throw new LhsError('unreachable', `a node of "${index}" does not have its new shards`);
    }
    const behind = nodesBehind(index, ready);
    if (behind.length === 0) return ready;
    for (const { node, until } of behind) {
      await (await jobService(context, index, node.address)).sync({ index, until });
    }
  }
  throw new LhsError('index_busy', `the nodes of "${index}" are at different snapshots`);
}

/** The new spread is in force: definition, placements and route, with the end of the job. */
async function commit(
  run: RunningJob,
  { stored, text, shards, target }: Reshard,
  nodes: readonly LivingNode[],
  plans: readonly AlterPlan[],
): Promise<void> {
  const { context, job } = run;
  const { index } = job;
  const leaving = await partsWithout(run, target);
  await run.finish(async (cluster) => {
    if (!(await cluster.definitions.replace(index, text, stored.version))) {
      throw new LhsError('index_busy', `the definition of "${index}" was changed meanwhile`);
    }
    await cluster.placements.trim(index, shards);
    for (const placement of target) await cluster.placements.set(placement);
    for (const part of leaving) await cluster.dropped.add(part);
    const route = await publishWithin(cluster, { index, shards }, nodes);
    const isWhole = route?.shards === shards && route.replicas.every((own) => own.length > 0);
    if (nodes.length > 0 && !isWhole) {
      throw new LhsError('unreachable', `the new shards of "${index}" are not complete`);
    }
    const result: AlterPlan = { ...mergeAlterPlan(plans), generation: generationOf(nodes, index) };
    return result;
  });
  for (const part of leaving) context.logger.info(part, 'the node has no shard of the index');
}

/** The parts of nodes that will have no shard; a node that is away removes its part later. */
async function partsWithout(
  { context, job }: RunningJob,
  target: readonly Placement[],
): Promise<readonly DroppedPart[]> {
  const { index } = job;
  const staying = new Set(target.map(({ node }) => node));
  const now = await currentNodes(context, {}, EVER);
  return now.flatMap(({ node, indexes }) => {
    const own = indexes.find((each) => each.index === index);
    return own === undefined || staying.has(node) ? [] : [{ node, index, uuid: own.uuid }];
  });
}

/** Nodes that have changed go back, unless another control plane leads by now: it does that. */
async function goBack({ context, job, change }: RunningJob): Promise<void> {
  for (let turn = 1; ; turn++) {
    try {
      await change(async () => {});
      return await putBack(context, job, change);
    } catch (error) {
      const isFenced = error instanceof LhsError && error.code === 'fenced';
      if (isFenced || turn === BACK_TURNS) {
        context.logger.warn({ err: error, index: job.index }, 'nodes have not gone back');
        return;
      }
      await pause(BACK_MS, new AbortController().signal);
    }
  }
}
