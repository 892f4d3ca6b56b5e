import { carrySharding, registeredDefinition } from '@lakehouse-search/engine/internal';
import { withAll } from '../../cluster/with-only.ts';
import { jobWriter } from './job-writer.ts';
import type { JobEnd, RunningJob } from './running-job.ts';

/**
 * Puts a new definition in force on the node of an index; searches go on with the former commit. If
 * it fails, the node gets the definition in force again with its next heartbeats.
 */
export async function alterIndex(run: RunningJob): Promise<JobEnd> {
  const { context, job, signal } = run;
  const { index } = job;
  const stored = (await context.store.definitions.get(index))!;
  const asked = String(job.request.definition_yaml);
  const now = registeredDefinition(stored.definition);
  const definition = carrySharding(asked, registeredDefinition(asked), now);
  const { service } = await jobWriter(run);
  const request = { index, definition_yaml: withAll(definition), apply: true };
  const result = await service.alterIndex(request, { signal });
  return { result, built: { definition, replaces: stored.version } };
}
