import {
  type CallContext,
  type Job,
  LhsError,
  type ReindexResponse,
  type ShardProgress,
} from '@lakehouse-search/contract';
import { mergeAnswers } from '../../cluster/merge-answers.ts';
import { type AdminMethods, type AdminNodes, overSeveral } from './admin-nodes.ts';
import { ownersToBuild } from './static-definitions.ts';

/** Between the ids of the nodes' jobs in the id of a job of several nodes. */
const BETWEEN = '~';

/** A job of one node or several, and the addresses of the nodes. Throws not_found. */
export async function jobOf(
  nodes: AdminNodes,
  name: 'getJob' | 'cancelJob',
  job_id: string,
  call: CallContext,
): Promise<{ readonly job: Job; readonly nodes: readonly string[] }> {
  const ids = job_id.split(BETWEEN);
  // each part is looked for on all nodes, and the id comes from the caller
  if (ids.length > nodes.routing.seen.length) throw noJob(job_id);
  const parts = await Promise.all(
    ids.map((id) => nodes.first(name, { job_id: id }, call, (address, job) => ({ address, job }))),
  );
  const job = mergeJobs(parts.map((part) => part.job));
  return { job, nodes: parts.map(({ address }) => address) };
}

function noJob(job_id: string): LhsError {
  const shown = job_id.length > 60 ? `${job_id.slice(0, 60)}…` : job_id;
  return new LhsError('not_found', `there is no job "${shown}"`, { next: [{ step: 'list_jobs' }] });
}

/** The operations of jobs. */
export function jobOperations(nodes: AdminNodes): AdminMethods {
  return {
    startJob: async (request, context) => {
      const { index, kind } = request;
      if (kind === 'restore') return nodes.at(nodes.up()[0]).startJob(request, context);
      const isBuild = kind === 'reindex';
      const call = context ?? {};
      const owners = await (isBuild
        ? ownersToBuild(nodes, index, call)
        : nodes.owners(index, call));
      if (owners.length > 1 && !isBuild) throw overSeveral(kind, owners.length);
      const started = await Promise.allSettled(
        owners.map(({ address }) => nodes.at(address).startJob(request, context)),
      );
      const failed = started.find(({ status }) => status === 'rejected');
      if (failed === undefined) return mergeJobs(started.map((one) => fulfilled(one).value));
      await cancelAll(
        nodes,
        started.filter((one) => one.status === 'fulfilled'),
      );
      throw (failed as PromiseRejectedResult).reason;
    },
    getJob: async ({ job_id }, call = {}) => (await jobOf(nodes, 'getJob', job_id, call)).job,
    cancelJob: async ({ job_id }, call = {}) => (await jobOf(nodes, 'cancelJob', job_id, call)).job,
    listJobs: async (request, context) => {
      const { index, limit } = request;
      const name = index ? await nodes.resolve(index, context ?? {}) : undefined;
      const known = (address: string) => {
        const state = nodes.routing.seen.find((seen) => seen.address === address)?.state;
        return name === undefined || state?.indexes.some((one) => one.index === name);
      };
      const lists = await Promise.all(
        nodes
          .up()
          .filter(known)
          .map((address) => nodes.at(address).listJobs(request, context)),
      );
      const all = jobsOfAll(lists);
      return all.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1)).slice(0, limit);
    },
  };
}

const fulfilled = <T>(one: PromiseSettledResult<T>) => one as PromiseFulfilledResult<T>;

/** Cancels the jobs that were started when another node refused its own. Throws nothing. */
async function cancelAll(nodes: AdminNodes, started: readonly PromiseSettledResult<Job>[]) {
  const ids = started.map((one) => fulfilled(one).value.job_id);
  await Promise.allSettled(ids.map((job_id) => nodes.first('cancelJob', { job_id }, {}, () => {})));
}

/**
 * The jobs of several nodes. A build of an index runs on all of its nodes at the same time, one on
 * each: such jobs are shown as one.
 */
function jobsOfAll(lists: readonly (readonly Job[])[]): readonly Job[] {
  const groups: Job[][] = [];
  for (const jobs of lists) {
    const before = groups.slice();
    for (const job of jobs) {
      const at = before.findIndex((group) => group.every((other) => isOfOneBuild(job, other)));
      if (at < 0) groups.push([job]);
      else before.splice(at, 1)[0].push(job);
    }
  }
  return groups.map(mergeJobs);
}

function isOfOneBuild(one: Job, other: Job): boolean {
  if (one.kind !== 'reindex' || other.kind !== 'reindex' || one.index !== other.index) return false;
  const isBefore = (a: Job, b: Job) => a.ended_at !== undefined && a.ended_at < b.created_at;
  return !isBefore(one, other) && !isBefore(other, one);
}

/** The jobs of all nodes as one: it has ended when all have. */
function mergeJobs(jobs: readonly Job[]): Job {
  const [first] = jobs;
  if (jobs.length === 1) return first;
  const open = jobs.find(({ state }) => !['done', 'failed', 'canceled'].includes(state));
  const bad = jobs.find(({ state }) => state === 'failed' || state === 'canceled');
  const shown = open ?? bad ?? first;
  const job_id = jobs.map((job) => job.job_id).join(BETWEEN);
  const result = resultOf(jobs);
  const own = result === undefined ? {} : { result };
  return { ...shown, job_id, shards: shardsOf(jobs), ...own } as Job;
}

/** What a build of several nodes made. */
function resultOf(jobs: readonly Job[]): ReindexResponse | undefined {
  const made = jobs.flatMap((job) =>
    job.kind === 'reindex' && job.result !== undefined
      ? [{ answer: job.result, ordinals: job.shards.map(({ shard }) => shard) }]
      : [],
  );
  return made.length === jobs.length ? mergeAnswers('reindex', made) : undefined;
}

/** Each shard once: of several copies, the one that is furthest behind. */
function shardsOf(jobs: readonly Job[]): readonly ShardProgress[] {
  const all = jobs.flatMap(({ shards }) => shards).toSorted((a, b) => b.docs_done - a.docs_done);
  const byOrdinal = new Map(all.map((one) => [one.shard, one]));
  return [...byOrdinal.values()].toSorted((a, b) => a.shard - b.shard);
}
