import type { StoredDefinition } from '../../store/definitions.ts';
import type { ClusterContext } from '../cluster-context.ts';
import type { LoopFaults } from '../leader/loop-faults.ts';
import { buildMissing } from './build-missing.ts';
import { levelNodes, renewNodes } from './level-nodes.ts';
import type { LivingNode } from './route-over.ts';

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** When the work for an index may begin again, and the pause after its next failure. */
interface Pause {
  readonly until: number;
  readonly ms: number;
}

/**
 * Brings the nodes of each index to one definition and one snapshot, and builds shards that have no
 * data. An index that takes long holds up no other work; one that fails is tried again after ever
 * longer pauses.
 */
export class IndexLeveler {
  readonly #context: ClusterContext;
  readonly #faults: LoopFaults;
  readonly #running = new Map<string, Promise<void>>();
  readonly #pauses = new Map<string, Pause>();

  constructor(context: ClusterContext, faults: LoopFaults) {
    this.#context = context;
    this.#faults = faults;
  }

  /** Begins the work for the indexes that it is not running for. */
  start(
    definitions: readonly StoredDefinition[],
    nodes: readonly LivingNode[],
    signal: AbortSignal,
  ): void {
    for (const { index } of definitions) {
      const { until } = this.#pauses.get(index) ?? { until: 0 };
      if (this.#running.has(index) || performance.now() < until) continue;
      const work = this.#level(index, nodes, signal).finally(() => this.#running.delete(index));
      this.#running.set(index, work);
    }
  }

  /** Waits for the work that runs. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #level(index: string, nodes: readonly LivingNode[], signal: AbortSignal): Promise<void> {
    const loop = { work: 'recovery of shards', index };
    try {
      await renewNodes(this.#context, index, nodes, signal);
      const note = (message: string) => this.#faults.noted(loop, 'index_not_built', message);
      await buildMissing(this.#context, index, nodes, { signal, note });
      await levelNodes(this.#context, index, nodes, signal);
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
