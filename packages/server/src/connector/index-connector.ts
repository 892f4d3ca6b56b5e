import type { CheckpointState, SourceState } from '@lakehouse-search/contract';
import { ShardSource, type SourceStep } from '@lakehouse-search/engine/internal';
import {
  type ClusterContext,
  currentNodes,
  publishRoute,
} from '../control-plane/cluster-context.ts';
import { formerNodes } from '../control-plane/placement/level-nodes.ts';
import type { LivingNode } from '../control-plane/placement/route-over.ts';
import type { Lease } from '../store/leases.ts';
import { sendStep } from './send-step.ts';
import { StepAhead, type StepEnds, whenRead } from './step-ahead.ts';

/** What the connector of an index reports. */
export interface ConnectorEvents {
  /** All shards have reached a snapshot, and searches see it. */
  readonly advanced: (snapshot: string | null) => void;
}

/** A node with shards of the index, and up to where they have followed the table. */
interface Follower {
  readonly node: LivingNode;
  readonly ordinals: readonly number[];
  readonly checkpoint: CheckpointState;
}

/**
 * Keeps the shards of one index equal to their table, under a lease. Each step is read once and
 * applied to all shards; searches see it when every shard has it.
 *
 * The nodes that are furthest behind come first, so no node is more than one step ahead of another
 * one, and nodes still have the commit that searches read. A step that is sent twice, also by a
 * connector whose lease has ended, is applied once: the checkpoint of each shard decides. A node
 * that comes back with a former definition is left out until it has the one in force.
 */
export class IndexConnector {
  readonly #context: ClusterContext;
  readonly #index: string;
  readonly #events: ConnectorEvents;
  /** The step after the one that was sent last. */
  #ahead: StepAhead | undefined;
  #source: { readonly version: number; readonly table: ShardSource } | undefined;

  constructor(context: ClusterContext, index: string, events: ConnectorEvents) {
    this.#context = context;
    this.#index = index;
    this.#events = events;
  }

  /**
   * One look at the table and the nodes. Searches move to what the nodes have, while the next step
   * is applied, if there is one: true if it was. Throws fenced after the end of the lease,
   * source_unreachable, schema_changed, unreachable, …
   */
  async advance(lease: Lease, signal: AbortSignal): Promise<boolean> {
    const source = await this.#opened(signal);
    if (source === undefined || (await this.#isAltered())) return false;
    await source.refresh(signal);
    const living = await currentNodes(this.#context, { signal });
    const publishing = this.#publish(source.shards, living, lease);
    publishing.catch(() => {});
    const next = nextStep(source, await this.#followers(source.shards, living, signal));
    if (next !== undefined) await this.#apply(source, next, lease, signal);
    await publishing;
    return next !== undefined;
  }

  /** Stores the route over what the nodes have. */
  async #publish(shards: number, living: readonly LivingNode[], lease: Lease): Promise<void> {
    const version = this.#source?.version;
    const index = {
      index: this.#index,
      shards,
      ...(version === undefined ? {} : { version }),
    };
    const { store } = this.#context;
    const before = (await store.routes.get(this.#index))?.snapshot;
    const route = await publishRoute(store, lease, index, living);
    if (route !== undefined && route.snapshot !== before) this.#events.advanced(route.snapshot);
  }

  async close(): Promise<void> {
    await this.#dropAhead();
    const source = this.#source;
    this.#source = undefined;
    await source?.table.close();
  }

  async #dropAhead(): Promise<void> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    await ahead?.drop();
  }

  /** A step, which may have been read while nodes applied the one before. */
  async #step(source: ShardSource, ends: StepEnds, signal: AbortSignal): Promise<SourceStep> {
    if (this.#ahead?.isFor(ends)) return this.#ahead.step();
    await this.#dropAhead();
    return source.step(ends.checkpoint, ends.to, signal);
  }

  /** The table under the newest definition; undefined: the index was dropped. */
  async #opened(signal: AbortSignal): Promise<ShardSource | undefined> {
    const stored = await this.#context.store.definitions.get(this.#index);
    if (stored?.version !== this.#source?.version) await this.close();
    if (stored === undefined) return undefined;
    this.#source ??= {
      version: stored.version,
      table: await ShardSource.open(stored.definition, '', signal),
    };
    return this.#source.table;
  }

  /** A job that changes the definition needs nodes at one snapshot. */
  async #isAltered(): Promise<boolean> {
    const jobs = await this.#context.store.jobs.list({ running: true });
    return jobs.some(({ index, kind }) => index === this.#index && kind === 'alter');
  }

  async #followers(
    shards: number,
    living: readonly LivingNode[],
    signal: AbortSignal,
  ): Promise<readonly Follower[]> {
    const { nodes, store } = this.#context;
    const former = formerNodes(await store.routes.get(this.#index), living);
    const found = living.map(async (node) => {
      const own = node.indexes.find(({ index }) => index === this.#index);
      if (
        former.includes(node) ||
        own === undefined ||
        own.shards !== shards ||
        own.commits.length === 0
      )
        return [];
      const service = nodes.at(node.address).service();
      const checkpoint = await service.getCheckpoint({ index: this.#index }, { signal });
      return [{ node, ordinals: own.ordinals, checkpoint }];
    });
    return (await Promise.all(found)).flat();
  }

  async #apply(source: ShardSource, next: NextStep, lease: Lease, signal: AbortSignal) {
    const { nodes } = this.#context;
    const index = this.#index;
    const targets = next.followers.map(({ node, ordinals }) => ({
      ordinals,
      apply: (batch: Parameters<ReturnType<typeof service>['applyBatch']>[0]['batch']) =>
        service(node.address).applyBatch({ index, batch }, { signal }),
    }));
    const service = (address: string) => nodes.at(address).service(lease.epoch);
    const [{ checkpoint }] = next.followers;
    try {
      const step = await this.#step(source, { checkpoint, to: next.to }, signal);
      // a job that began meanwhile may give nodes other shards
      if (await this.#isAltered()) return;
      this.#ahead = undefined;
      const readNext = (to: SourceState) => {
        if (next.after === undefined) return;
        const ends = { checkpoint: { ...checkpoint, ...to }, to: next.after };
        this.#ahead = new StepAhead(source, ends, signal);
      };
      await sendStep(whenRead(step, readNext), targets);
    } catch (error) {
      await this.#dropAhead();
      if (!ShardSource.canPass(error) || next.to === source.head) throw error;
      await sendStep(await source.step(checkpoint, source.head, signal), targets);
    }
  }
}

interface NextStep {
  readonly to: string | null;
  /** The snapshot after it; undefined: it leads to the head. */
  readonly after: string | null | undefined;
  /** They have the same checkpoint. */
  readonly followers: readonly Follower[];
}

/** The next step of the followers that are furthest behind; undefined: all are at the head. */
function nextStep(source: ShardSource, followers: readonly Follower[]): NextStep | undefined {
  const groups = Map.groupBy(followers, ({ checkpoint }) => checkpoint.snapshot_id);
  const ways = [...groups.values()].map((own) => ({ own, way: source.way(own[0].checkpoint) }));
  const behind = ways.filter(({ way }) => way.length > 0);
  if (behind.length === 0) return undefined;
  const { own, way } = behind.reduce((a, b) => (b.way.length > a.way.length ? b : a));
  return { to: way[0], after: way[1], followers: own };
}
