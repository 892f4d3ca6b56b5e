import { LhsError, type Progress, type ReindexResponse } from '@lakehouse-search/contract';
import { registeredDefinition, ShardSource, sharedPlace } from '@lakehouse-search/engine/internal';
import { mergeAnswers, type NodeAnswer } from '../../cluster/merge-answers.ts';
import type { BuildStep } from '../../cluster/node-client.ts';
import { generationOf, sumOf } from '../../cluster/sum-of.ts';
import type { ClusterJobRecord } from '../../store/cluster-jobs.ts';
import { followingNodes, jobService, publishWithin } from '../cluster-context.ts';
import { type JobNode, nodesOf } from './job-nodes.ts';
import { type RunningJob, refuseStopped } from './running-job.ts';
import { spreadShards } from './spread-shards.ts';

/** The record is written at most this often while shards are built. */
const WRITE_MS = 1000;

/** A generation of a node that waits for its promotion. */
export interface Staged {
  readonly at: JobNode;
  readonly generation: number;
  /** The build on the node: it discards the generation if this stream breaks before its end. */
  readonly steps: AsyncIterator<BuildStep>;
}

/**
 * Rebuilds all shards of an index from its table, at one snapshot. Every node builds its next
 * generation beside the live one; when all are complete, all are promoted and the route is
 * published together with the end of the job. A failure discards all that are staged.
 */
export async function rebuildShards(run: RunningJob): Promise<void> {
  const { context, job } = run;
  const started = performance.now();
  const { definition } = (await context.store.definitions.get(job.index))!;
  const { snapshot, shards } = await target(definition, job.request.as_of, run.signal);
  if (sharedPlace(registeredDefinition(definition)) === null) await spread(run);
  const nodes = await nodesOf(run, shards);
  const staged: Staged[] = [];
  const made: NodeAnswer<ReindexResponse>[] = [];
  try {
    await buildAll(run, nodes, snapshot, { staged, made });
    await run.built();
    refuseStopped(run);
    for (const { at, generation } of staged) {
      const client = context.nodes.at(at.node.address);
      const { response } = await client.endBuild(job.index, generation, true);
      if (response !== undefined) made.push({ answer: response, ordinals: at.own.ordinals });
    }
  } catch (error) {
    await discardAll(run, staged);
    throw error;
  } finally {
    for (const { steps } of staged) await steps.return?.().catch(() => {});
  }
  const current = await followingNodes(context, job.index);
  await run.finish(async (cluster) => {
    await publishWithin(cluster, { index: job.index, shards }, current);
    const result: ReindexResponse = {
      ...mergeAnswers('reindex', made),
      doc_count: sumOf(current, job.index, 'docs'),
      snapshot,
      index_generation: generationOf(current, job.index),
      bytes: sumOf(current, job.index, 'bytes'),
      took_ms: Math.round(performance.now() - started),
    };
    return result;
  });
}

/** Shards move to nodes that have joined: they are built again anyway. */
async function spread({ context, job, change }: RunningJob): Promise<void> {
  const { index } = job;
  await change(async ({ nodes, placements }) => {
    const living = (await nodes.list()).map(({ node }) => node);
    for (const placement of spreadShards(index, living, await placements.list())) {
      await placements.set(placement);
      context.logger.info(placement, 'shard moves');
    }
  });
}

async function target(definition: string, asOf: unknown, signal: AbortSignal) {
  const source = await ShardSource.open(definition, '', signal);
  try {
    const snapshot = typeof asOf === 'string' ? source.snapshotOf(asOf) : source.head;
    return { snapshot, shards: source.shards };
  } finally {
    await source.close();
  }
}

/** Builds on all nodes at once. Throws the first error after all builds have ended. */
export async function buildAll(
  run: RunningJob,
  nodes: readonly JobNode[],
  snapshot: string | null,
  { staged, made }: { readonly staged: Staged[]; readonly made: NodeAnswer<ReindexResponse>[] },
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const shown = progressOf(run, snapshot);
  const begun = nodes.map(() => Promise.withResolvers<void>());
  const builds = nodes.map(async (at, i) => {
    const begins = begun[i].resolve;
    try {
      staged.push(await buildOne({ run, at, snapshot, signal, shown, begins }));
    } catch (error) {
      const isOld = error instanceof LhsError && error.code === 'unsupported';
      if (!isOld || at.definition !== undefined) throw error;
      made.push(await reindexOne(run, at, snapshot, signal));
    } finally {
      begins();
    }
  });
  // Every node looks at its disk before its first step: the error names all that lack room.
  const haveBegun = Promise.all(begun.map(({ promise }) => promise));
  for (const build of builds) {
    build.catch((error) => (isShort(error) ? haveBegun.then(() => stop.abort()) : stop.abort()));
  }
  const results = await Promise.allSettled(builds);
  refuseStopped(run);
  refuseFailed(nodes, results);
  await shown.write();
}

const isShort = (error: unknown): boolean =>
  error instanceof LhsError && error.code === 'disk_short';

/** Throws the first error of builds; disk_short names all nodes whose disks are too full. */
function refuseFailed(
  nodes: readonly JobNode[],
  results: readonly PromiseSettledResult<void>[],
): void {
  const failed = results.flatMap((result, i) =>
    result.status === 'rejected' ? [{ node: nodes[i].node.node, reason: result.reason }] : [],
  );
  if (failed.length === 0) return;
  const short = failed.filter(({ reason }) => isShort(reason));
  if (short.length > 0) throw diskShort(short);
  throw (failed.find(({ reason }) => reason?.code !== 'interrupted') ?? failed[0]).reason;
}

/** The error of nodes without room for the next generation. */
function diskShort(nodes: readonly { readonly node: string; readonly reason: LhsError }[]) {
  const parts = nodes.map(({ node, reason }) => `node "${node}": ${reason.message}`);
  return new LhsError('disk_short', parts.join('; '), {
    hint: 'free space on these nodes; the live generation is untouched',
    details: { nodes: nodes.map(({ node }) => node) },
  });
}

/** A build on one node. */
interface NodeBuild {
  readonly run: RunningJob;
  readonly at: JobNode;
  readonly snapshot: string | null;
  readonly signal: AbortSignal;
  readonly shown: ReturnType<typeof progressOf>;
  /** Called when the node has begun: its disk has room. */
  readonly begins: () => void;
}

/** Builds on one node, up to the promotion. */
async function buildOne({ run, at, snapshot, signal, shown, begins }: NodeBuild): Promise<Staged> {
  const { context, job } = run;
  const client = context.nodes.at(at.node.address);
  const building = client.build(job.index, snapshot, { signal }, at.definition);
  const steps = building[Symbol.asyncIterator]();
  for (;;) {
    const { value: step, done } = await steps.next();
    begins();
    if (done) throw endedEarly(at);
    if ('staged' in step) {
      const { generation, docs } = step.staged;
      shown.staged(at, docs);
      return { at, generation, steps };
    }
    shown.add(at, step.progress);
  }
}

/**
 * Rebuilds on a node that cannot stage a generation: it promotes its own. Searches move only when
 * all nodes have the same state, and until then read the former commits.
 */
async function reindexOne(
  { context, job }: RunningJob,
  { node, own }: JobNode,
  snapshot: string | null,
  signal: AbortSignal,
): Promise<NodeAnswer<ReindexResponse>> {
  const { index } = job;
  const service = await jobService(context, index, node.address);
  const request = { index, ...(snapshot === null ? {} : { as_of: snapshot }) };
  return { answer: await service.reindex(request, { signal }), ordinals: own.ordinals };
}

const endedEarly = ({ node }: JobNode): LhsError =>
  new LhsError('unreachable', `node "${node.node}" ended its build before it was complete`);

/** Adds up the progress of all nodes; a fault of the store is met by the next transition. */
function progressOf(run: RunningJob, snapshot: string | null) {
  const shards = new Map<number, ClusterJobRecord['shards'][number]>();
  let writtenAt = Number.NEGATIVE_INFINITY;
  const write = async (): Promise<void> => {
    writtenAt = performance.now();
    const sorted = [...shards.values()].sort((a, b) => a.shard - b.shard);
    const more = snapshot === null ? {} : { snapshot };
    await run.progress({ shards: sorted, ...more }).catch(() => {});
  };
  const set = (shard: number, docs_done: number, docs_total: number): void => {
    shards.set(shard, { shard, docs_done, docs_total, generation: run.job.generation });
  };
  // the rows of a step are those of the table; those of a shard are among them
  const add = ({ own }: JobNode, step: Progress): void => {
    const parts = step.shards ?? (own.shards === 1 ? [{ ...step, shard: 0 }] : []);
    for (const { shard, docs_done, docs_total } of parts) {
      if (own.ordinals.includes(shard)) set(shard, docs_done, docs_total);
    }
    if (performance.now() - writtenAt >= WRITE_MS) void write();
  };
  const staged = ({ own: { ordinals } }: JobNode, docs: number): void => {
    const before = ordinals.slice(1).map((shard) => shards.get(shard)?.docs_done ?? 0);
    const counts = [docs - before.reduce((a, b) => a + b, 0), ...before];
    for (const [i, shard] of ordinals.entries()) set(shard, counts[i], counts[i]);
  };
  return { add, staged, write };
}

/** A node that cannot be reached discards by itself what nobody promotes. */
export async function discardAll({ context, job }: RunningJob, staged: readonly Staged[]) {
  await Promise.all(
    staged.map(({ at, generation }) =>
      context.nodes
        .at(at.node.address)
        .endBuild(job.index, generation, false)
        .catch((error: unknown) =>
          context.logger.warn({ err: error, node: at.node.node }, 'cannot discard a generation'),
        ),
    ),
  );
}
