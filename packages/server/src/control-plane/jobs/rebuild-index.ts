import { LhsError, type ReindexRequest } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { pause } from '../leader/leadership.ts';
import { jobWriter } from './job-writer.ts';
import type { JobEnd, RunningJob } from './running-job.ts';

/** Pause between two looks at the progress of a build. */
const LOOK_MS = 1000;

/** Rebuilds an index from its table, on its node. */
export async function rebuildIndex(run: RunningJob): Promise<JobEnd> {
  const { context, job, signal } = run;
  const { index } = job;
  const { definition } = (await context.store.definitions.get(index))!;
  const { node, service } = await jobWriter(run);
  const ended = new AbortController();
  const showing = showProgress(run, service, ended.signal);
  const request: ReindexRequest = { ...job.request, index };
  const result = await service
    .reindex(request, { signal })
    .catch((error: unknown) => {
      throw ofNode(node, error);
    })
    .finally(() => {
      ended.abort();
      return showing;
    });
  return { result, built: { definition } };
}

/** The error of a node without room for the next generation names the node. */
function ofNode(node: string, error: unknown): unknown {
  if (!(error instanceof LhsError) || error.code !== 'disk_short') return error;
  return new LhsError('disk_short', `node "${node}": ${error.message}`, {
    hint: 'free space on this node; the live generation is untouched',
    details: { nodes: [node] },
  });
}

/** Shows what the job of the node shows; a fault of the store is met by the next transition. */
async function showProgress(run: RunningJob, service: ServiceApi, until: AbortSignal) {
  const { index, generation } = run.job;
  do {
    await pause(LOOK_MS, until);
    const [job] = await service.listJobs({ index, limit: 1 }).catch(() => []);
    if (job?.kind !== 'reindex') continue;
    const { snapshot } = job;
    const shards = job.shards.map((shard) => ({ ...shard, generation }));
    const record = { shards, ...(snapshot === undefined ? {} : { snapshot }) };
    await run.progress(record).catch(() => {});
  } while (!until.aborted);
}
