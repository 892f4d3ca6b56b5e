import { LhsError } from '@lakehouse-search/contract';
import { carrySharding, registeredDefinition } from '@lakehouse-search/engine/internal';
import { withAll } from '../../cluster/with-only.ts';
import { followingNodes, publishWithin } from '../cluster-context.ts';
import { jobWriter } from './job-writer.ts';
import { type RunningJob, refuseStopped } from './running-job.ts';

/**
 * Puts a new definition in force on the node of an index; searches go on with the former commit.
 * The definition, the route and the end of the job are one transaction. If it fails, the node gets
 * the definition in force again with its next heartbeats.
 */
export async function alterIndex(run: RunningJob): Promise<void> {
  const { context, job, signal } = run;
  const { index } = job;
  const stored = (await context.store.definitions.get(index))!;
  const asked = String(job.request.definition_yaml);
  const now = registeredDefinition(stored.definition);
  const definition_yaml = carrySharding(asked, registeredDefinition(asked), now);
  const { shards = 1 } = registeredDefinition(definition_yaml);
  const { service } = await jobWriter(run);
  const request = { index, definition_yaml: withAll(definition_yaml), apply: true };
  const plan = await service.alterIndex(request, { signal });
  refuseStopped(run);
  await run.built();
  const nodes = await followingNodes(context, index);
  await run.finish(async (cluster) => {
    if (!(await cluster.definitions.replace(index, definition_yaml, stored.version))) {
      throw new LhsError('index_busy', `the definition of "${index}" was changed meanwhile`);
    }
    await publishWithin(cluster, { index, shards }, nodes);
    return plan;
  });
}
