import { type AlterPlan, LhsError } from '@lakehouse-search/contract';
import type { Definition } from '@lakehouse-search/engine';
import { carrySharding, registeredDefinition } from '@lakehouse-search/engine/internal';
import { mergeAlterPlan } from '../../cluster/merge-indexes.ts';
import { generationOf } from '../../cluster/sum-of.ts';
import { followingNodes, publishWithin } from '../cluster-context.ts';
import { type JobNode, nodesOf } from './job-nodes.ts';
import { alterPart } from './put-back.ts';
import { reshardShards } from './reshard-shards.ts';
import { type RunningJob, refuseStopped } from './running-job.ts';

/**
 * Puts a new definition in force on all shards of an index. Each node builds what the change needs;
 * searches go on with the former commits of all nodes until every shard has the new definition.
 * The definition, the route and the end of the job are one transaction. After a failure, nodes that
 * have changed go back to the definition in force. Another spread over shards is staged on all
 * nodes first (reshard-shards.ts).
 */
export async function alterShards(run: RunningJob): Promise<void> {
  const { context, job } = run;
  const { index } = job;
  const stored = (await context.store.definitions.get(index))!;
  const now = registeredDefinition(stored.definition);
  const asked = String(job.request.definition_yaml);
  const definition_yaml = carrySharding(asked, registeredDefinition(asked), now);
  if (respreads(now, registeredDefinition(definition_yaml))) {
    return reshardShards(run, definition_yaml);
  }
  const { shards = 1 } = now;
  const nodes = await nodesOf(run, shards);
  const plans = await alterAll(run, nodes, definition_yaml, stored.definition);
  const current = await followingNodes(context, job.index);
  await run.finish(async (cluster) => {
    if (!(await cluster.definitions.replace(index, definition_yaml, stored.version))) {
      throw new LhsError('index_busy', `the definition of "${index}" was changed meanwhile`);
    }
    await publishWithin(cluster, { index, shards }, current);
    const result: AlterPlan = {
      ...mergeAlterPlan(plans),
      generation: generationOf(current, index),
    };
    return result;
  });
}

async function alterAll(
  run: RunningJob,
  nodes: readonly JobNode[],
  text: string,
  former: string,
): Promise<readonly AlterPlan[]> {
  const { context } = run;
  const alter = (definition: string, { node, own }: JobNode, call = {}) =>
    alterPart(context, definition, { ...own, address: node.address }, call);
  const results = await Promise.allSettled(
    nodes.map((node) => alter(text, node, { signal: run.signal })),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined && !run.signal.aborted) {
    await run.built();
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }
  const changed = nodes.filter((_, i) => results[i].status === 'fulfilled');
  await Promise.allSettled(changed.map((node) => alter(former, node)));
  refuseStopped(run);
  throw failed?.reason;
}

/** Documents change their shards. */
const respreads = (now: Definition, next: Definition): boolean =>
  (now.shards ?? 1) !== (next.shards ?? 1) || String(now.map) !== String(next.map);
