import { LhsError } from '@lakehouse-search/contract';
import type { Placement } from '../../store/placements.ts';
import { type ClusterContext, jobService } from '../cluster-context.ts';
import type { LoopFaults } from '../leader/loop-faults.ts';
import type { LivingNode } from './route-over.ts';

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** When the work for an index may begin again, and the pause after its next failure. */
interface Pause {
  readonly until: number;
  readonly ms: number;
}

/**
 * Has indexes without data built by the nodes that they are placed on. One that takes long holds up
 * no other; one that fails is tried again after ever longer pauses.
 */
export class Recovery {
  readonly #context: ClusterContext;
  readonly #faults: LoopFaults;
  readonly #running = new Map<string, Promise<void>>();
  readonly #pauses = new Map<string, Pause>();

  constructor(context: ClusterContext, faults: LoopFaults) {
    this.#context = context;
    this.#faults = faults;
  }

  /** Begins the work for the indexes that it is not running for. */
  start(placements: readonly Placement[], nodes: readonly LivingNode[], signal: AbortSignal): void {
    for (const { index, node } of placements) {
      const { until } = this.#pauses.get(index) ?? { until: 0 };
      if (this.#running.has(index) || performance.now() < until) continue;
      const holder = nodes.find((each) => each.node === node && !each.isSilent);
      const work = this.#recover(index, holder, signal).finally(() => this.#running.delete(index));
      this.#running.set(index, work);
    }
  }

  /** Waits for the work that runs. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #recover(
    index: string,
    holder: LivingNode | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const loop = { work: 'recovery', index };
    const note = (message: string) => this.#faults.noted(loop, 'index_not_built', message);
    try {
      if (holder !== undefined) await buildLost(this.#context, index, holder, { signal, note });
      this.#pauses.delete(index);
      await this.#faults.succeeded(loop);
    } catch (error) {
      if (signal.aborted) return;
      const { ms } = this.#pauses.get(index) ?? { ms: FIRST_PAUSE_MS };
      const next = Math.min(2 * ms, MAX_PAUSE_MS);
      this.#pauses.set(index, { until: performance.now() + ms, ms: next });
      await this.#faults.failed(loop, error, { in_ms: ms });
    }
  }
}

/** How a lost index is built. */
interface Lost {
  readonly signal: AbortSignal;
  /** Stores what is done, for the status of the index. */
  readonly note: (message: string) => Promise<void>;
}

/**
 * Has an index built that was built before, and of which its node has no commit: the disk is new,
 * or the node took over from one that has left. An index in a store goes on from its newest commit
 * there. Nothing is done while a job of the index runs. Throws what the node throws.
 */
export async function buildLost(
  context: ClusterContext,
  index: string,
  { node, address, indexes }: LivingNode,
  { signal, note }: Lost,
): Promise<void> {
  const { store, logger } = context;
  const own = indexes.find((each) => each.index === index);
  if (own === undefined || own.commits.length > 0) return;
  if ((await store.routes.get(index)) === undefined) return;
  if ((await store.jobs.list({ running: true })).some((job) => job.index === index)) return;
  logger.info({ index, node }, 'the node has no data of the index');
  const service = await jobService(context, index, address);
  if (own.copies > 0 && (await isFetched(() => service.sync({ index }, { signal })))) return;
  await note(`node "${node}" has no data of the index and builds it from the table`);
  await service.reindex({ index }, { signal });
  logger.info({ index, node }, 'index built');
}

/** Whether the store of an index has a commit, from which its node goes on. */
async function isFetched(sync: () => Promise<unknown>): Promise<boolean> {
  try {
    await sync();
    return true;
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'index_not_built') throw error;
    return false;
  }
}
