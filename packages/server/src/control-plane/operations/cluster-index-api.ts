import {
  type CallContext,
  type CreateIndexRequest,
  type DropIndexRequest,
  type DropResponse,
  type IndexDescription,
  type IndexRequest,
  type IndexStatus,
  type IndexSummary,
  LhsError,
  type SyncFailure,
} from '@lakehouse-search/contract';
import {
  type BackendApi,
  checkCreateIndexRequest,
  checkDropIndexRequest,
  type IndexApi,
  type IngestApi,
  isListed,
  requireListed,
} from '@lakehouse-search/contract/internal';
import { registeredDefinition } from '@lakehouse-search/engine/internal';
import type { NodeIndex, NodeState } from '../../cluster/node-state.ts';
import { sumOf } from '../../cluster/sum-of.ts';
import type { DroppedPart } from '../../store/dropped-indexes.ts';
import type { StoredFault } from '../../store/faults.ts';
import { awakeNodes, type ClusterContext, currentNodes } from '../cluster-context.ts';
import type { LivingNode } from '../placement/route-over.ts';
import { requireWhole } from './cluster-caller.ts';
import { addDefinition } from './index-names.ts';
import { nameTaken } from './index-nodes.ts';
import { faultsOf } from './missing-shards.ts';
import { type RemovedPart, removeParts } from './remove-parts.ts';

/** Longer than a node is away: a hundred years. */
export const EVER = 100 * 365 * 86_400_000;

/** The index that a request names, by its name or an alias. Throws as `resolveName`. */
type Resolve = (index: string | undefined, call: CallContext) => Promise<string>;

/** The indexes of a cluster: their definitions are in the store, their shards on nodes. */
export class ClusterIndexApi
  implements
    Pick<IndexApi, 'createIndex' | 'listIndexes' | 'dropIndex' | 'describeIndex'>,
    Pick<IngestApi, 'status'>
{
  readonly #context: ClusterContext;
  readonly #scratch: () => Promise<BackendApi>;
  readonly #resolve: Resolve;
  /** Definitions are in the scratch engine one after another. */
  #last: Promise<unknown> = Promise.resolve();

  /** `scratch`: an engine whose indexes are made and dropped within a call. */
  constructor(context: ClusterContext, scratch: () => Promise<BackendApi>, resolve: Resolve) {
    this.#context = context;
    this.#scratch = scratch;
    this.#resolve = resolve;
  }

  /** Registers a definition; the nodes take over its shards, and a reindex builds them. */
  async createIndex(request: CreateIndexRequest, call: CallContext = {}) {
    const { definition } = checkCreateIndexRequest(request);
    requireWhole(call, 'createIndex');
    const { index } = registeredDefinition(definition);
    requireListed(call, index);
    const description = await this.#defined(definition, async (_, created) => created);
    const { store } = this.#context;
    const isAdded = await store.change(null, (own) => addDefinition(own, index, definition));
    if (!isAdded) throw nameTaken('index_exists', index);
    return description;
  }

  /** What the definition describes: nodes describe an index that is built. */
  async describeIndex({ index: asked }: IndexRequest = {}, call: CallContext = {}) {
    const { index, definition } = await this.#stored(asked, call);
    return this.#defined(definition, (scratch) => scratch.describeIndex({ index }, call));
  }

  /**
   * The status by the node of an index, with what only the control plane sees: shards without a
   * node, and why the index does not follow its table.
   */
  async status({ index: asked }: IndexRequest = {}, call: CallContext = {}): Promise<IndexStatus> {
    requireWhole(call, 'status');
    const { store } = this.#context;
    const { index, definition } = await this.#stored(asked, call);
    const awake = await awakeNodes(this.#context, call);
    const built = await this.#builtStatus(index, awake, call);
    const [fault] = await store.faults.list(index);
    const route = await store.routes.get(index);
    const status =
      built ?? (await this.#defined(definition, (scratch) => scratch.status({ index })));
    // an index that all nodes have lost was built, and is built again
    const lost = built === undefined && route !== undefined ? { status: 'live' as const } : {};
    return {
      ...status,
      ...lost,
      ...faultsOf(route, awake, registeredDefinition(definition)),
      ...(fault && { sync_failure: failureOf(fault) }),
    };
  }

  /** The status by the node that has built an index, or reads it from its store. */
  async #builtStatus(
    index: string,
    awake: readonly LivingNode[],
    call: CallContext,
  ): Promise<IndexStatus | undefined> {
    const { store, nodes } = this.#context;
    const writer = await store.placements.nodeOf(index);
    const isBuilt = (own: NodeIndex) => own.index === index && own.commits.length > 0;
    const answering = awake
      .filter(({ isSilent }) => !isSilent)
      .toSorted((a, b) => Number(b.node === writer) - Number(a.node === writer));
    const holder =
      answering.find(({ indexes }) => indexes.some(isBuilt)) ??
      answering.find(({ followed }) => followed.some(isBuilt));
    if (holder === undefined) return undefined;
    const service = nodes.at(holder.address).service();
    const read = (signal: AbortSignal) => service.status({ index }, { ...call, signal });
    return nodes.watch.whileAlive(holder.address, call.signal, read).catch(() => undefined);
  }

  async #stored(index: string | undefined, call: CallContext) {
    const name = await this.#resolve(index, call);
    const stored = await this.#context.store.definitions.get(name);
    if (stored === undefined) throw indexNotFound(name);
    return { index: name, definition: stored.definition };
  }

  async listIndexes(_request?: unknown, call: CallContext = {}): Promise<readonly IndexSummary[]> {
    requireWhole(call, 'listIndexes');
    const { store } = this.#context;
    const definitions = await store.definitions.list();
    const nodes = await awakeNodes(this.#context, call);
    const routes = new Map((await store.routes.list()).map((route) => [route.index, route]));
    return definitions
      .filter(({ index }) => isListed(call, index))
      .map(({ index: name, definition }) => {
        const route = routes.get(name);
        const registered = registeredDefinition(definition);
        const { description } = registered;
        return {
          name,
          ...(description === undefined ? {} : { description }),
          status: route === undefined ? 'created' : 'live',
          num_docs: sumOf(nodes, name, 'docs'),
          bytes: sumOf(nodes, name, 'bytes'),
          snapshot: route?.snapshot ?? null,
          ...faultsOf(route, nodes, registered),
        };
      });
  }

  /**
   * Nodes that answer remove the files of their shards at once, others at their next heartbeats,
   * also after an absence. Throws index_not_found, index_busy.
   */
  async dropIndex(request: DropIndexRequest, call: CallContext = {}): Promise<DropResponse> {
    const { index } = checkDropIndexRequest(request);
    requireWhole(call, 'dropIndex');
    requireListed(call, index);
    const { store } = this.#context;
    const parts = await heldParts(this.#context, index, call);
    const dropped = await store.change(null, async (cluster) => {
      const running = await cluster.jobs.list({ running: true });
      const job = running.find((each) => each.index === index);
      if (job !== undefined) throw busy(index, job.id);
      const all = await cluster.aliases.list();
      const aliases = all.filter((each) => each.index === index).map(({ alias }) => alias);
      const isBuilt = (await cluster.routes.get(index)) !== undefined;
      if (!(await cluster.definitions.remove(index))) throw indexNotFound(index);
      for (const part of parts) await cluster.dropped.add(part);
      return { index, aliases, saved_queries: 0, jobs: 0, generations: isBuilt ? 1 : 0 };
    });
    const removed = await removeParts(this.#context, parts, call);
    return { ...dropped, ...sumsOf(parts, removed) };
  }

  /** Work with a definition in the scratch engine, where it is checked against its table. */
  #defined<T>(
    definition: string,
    work: (scratch: BackendApi, created: IndexDescription) => Promise<T>,
  ): Promise<T> {
    const own = async () => {
      const scratch = await this.#scratch();
      const created = await scratch.createIndex({ definition });
      try {
        return await work(scratch, created);
      } finally {
        await scratch.dropIndex({ index: created.index });
      }
    };
    const result = this.#last.then(own, own);
    this.#last = result.catch(() => {});
    return result;
  }
}

const failureOf = ({ work, code, message, sinceMs }: StoredFault): SyncFailure => ({
  code,
  message: `${work}: ${message}`,
  since: new Date(sinceMs).toISOString(),
});

/** A part of an index on a node, and the bytes of its newest commit. */
interface HeldPart extends DroppedPart {
  readonly bytes: number;
}

/** The parts of an index on all nodes: as living ones say now, others at their last heartbeats. */
async function heldParts(
  context: ClusterContext,
  index: string,
  call: CallContext,
): Promise<readonly HeldPart[]> {
  const living = await currentNodes(context, call);
  const all = await context.store.nodes.list(EVER);
  return all.flatMap(({ node, state }) => {
    const { indexes } = JSON.parse(state) as NodeState;
    const own = [...indexes, ...(living.find((each) => each.node === node)?.indexes ?? [])];
    const bytes = new Map(
      own
        .filter((each) => each.index === index)
        .map(({ uuid, commits }) => [uuid, commits[0]?.bytes ?? 0]),
    );
    return [...bytes].map(([uuid, bytes]) => ({ node, index, uuid, bytes }));
  });
}

/** What nodes removed; of a node that has not yet, the bytes of the newest commit that it named. */
function sumsOf(parts: readonly HeldPart[], removed: readonly RemovedPart[]) {
  const sums = parts.map(({ node, uuid, bytes }) => {
    const own = removed.find(({ part }) => part.node === node && part.uuid === uuid);
    if (own === undefined) return { bytes, points_in_time: 0 };
    return own.response ?? { bytes: 0, points_in_time: 0 };
  });
  return {
    bytes: sums.reduce((sum, one) => sum + one.bytes, 0),
    points_in_time: sums.reduce((sum, one) => sum + one.points_in_time, 0),
  };
}

/** The error for an index that the cluster does not have. */
export function indexNotFound(index: string): LhsError {
  return new LhsError('index_not_found', `there is no index "${index}"`, {
    next: [{ step: 'list_indexes' }],
  });
}

/** The error for a change that has to wait for a job of the index. */
export function busy(index: string, job: string): LhsError {
  const message = `index "${index}" is busy: job ${job} runs`;
  return new LhsError('index_busy', message, { details: { job_id: job } });
}
