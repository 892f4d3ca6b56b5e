import { type AlterPlan, type CallContext, LhsError } from '@lakehouse-search/contract';
import { registeredDefinition } from '@lakehouse-search/engine';
import type { NodeIndex } from '../cluster/node-state.ts';
import { partOf } from '../cluster/with-only.ts';
import type { ClusterJob } from '../store/cluster-jobs.ts';
import { type ClusterContext, currentNodes, jobService, publishWithin } from './cluster-context.ts';
import { type JobNode, nodesOf } from './job-nodes.ts';
import { type RunningJob, refuseStopped } from './running-job.ts';

/**
 * Puts a new definition in force on all shards of an index. Each node builds what the change needs;
 * searches go on with the former commits of all nodes until every shard has the new definition.
 * The definition, the route and the end of the job are one transaction. After a failure, nodes that
 * have changed go back to the definition in force.
 */
export async function alterShards(run: RunningJob): Promise<void> {
  const { context, job } = run;
  const { index } = job;
  const stored = (await context.store.definitions.get(index))!;
  const definition_yaml = String(job.request.definition_yaml);
  const { shards = 1 } = registeredDefinition(stored.definition);
  const { shards: next = 1 } = registeredDefinition(definition_yaml);
  if (next !== shards) throw reshard(index, shards, next);
  const nodes = await nodesOf(run, shards);
  const plans = await alterAll(run, nodes, definition_yaml, stored.definition);
  const current = await currentNodes(context);
  await run.finish(async (cluster) => {
    if (!(await cluster.definitions.replace(index, definition_yaml, stored.version))) {
      throw new LhsError('index_busy', `the definition of "${index}" was changed meanwhile`);
    }
    const route = await publishWithin(cluster, { index, shards }, current);
    const result: AlterPlan = { ...plans[0], generation: route?.generation ?? 0 };
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
    alterPart(context, definition, { address: node.address, own }, call);
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

/** Puts a definition in force on a node, which goes on to hold its shards alone. */
async function alterPart(
  context: ClusterContext,
  definition: string,
  { address, own }: { readonly address: string; readonly own: NodeIndex },
  call: CallContext = {},
): Promise<AlterPlan> {
  const { index, ordinals, shards } = own;
  const service = await jobService(context, index, address);
  const definition_yaml = partOf(definition, ordinals, shards);
  return service.alterIndex({ index, definition_yaml, apply: true }, call);
}

/**
 * Puts the definition in force on all living nodes of an index again: the control plane that
 * changed it has ended. Throws what a node throws, and unreachable if one with a lease does not
 * answer.
 */
export async function putBack(context: ClusterContext, { index }: ClusterJob): Promise<void> {
  const stored = await context.store.definitions.get(index);
  if (stored === undefined) return;
  for (const { node, address, indexes, isSilent } of await currentNodes(context)) {
    const own = indexes.find((each) => each.index === index);
    if (own === undefined) continue;
    if (isSilent) throw new LhsError('unreachable', `node "${node}" does not answer`);
    await alterPart(context, stored.definition, { address, own });
  }
}

/** The error for a change of the number of shards. */
export function reshard(index: string, from: number, to: number): LhsError {
  const message = `index "${index}" has ${from} shards; an alter cannot change that to ${to}`;
  return new LhsError('unsupported', message, { hint: 'create another index and move the alias' });
}
