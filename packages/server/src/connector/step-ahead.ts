import type { CheckpointState } from '@lakehouse-search/contract';
import type { ShardPart, ShardSource, SourceStep } from '@lakehouse-search/engine/internal';
import { PartQueue } from './part-queue.ts';

/** A step to a snapshot, from a checkpoint. */
export interface StepEnds {
  readonly checkpoint: CheckpointState;
  readonly to: string | null;
}

/**
 * A step that is planned and read, as far as its queue has room, before it is needed: while nodes
 * apply the step before it.
 */
export class StepAhead {
  readonly #ends: StepEnds;
  readonly #queue = new PartQueue<ShardPart>();
  readonly #planned: Promise<SourceStep>;
  readonly #read: Promise<void>;

  constructor(source: Pick<ShardSource, 'step'>, ends: StepEnds, signal: AbortSignal) {
    this.#ends = ends;
    this.#planned = source.step(ends.checkpoint, ends.to, signal);
    this.#read = this.#fill();
  }

  /** True for the step between the same snapshots, of nodes that were not rebuilt meanwhile. */
  isFor({ checkpoint, to }: StepEnds): boolean {
    const { snapshot_id, index_generation } = this.#ends.checkpoint;
    const isSame = index_generation === checkpoint.index_generation;
    return isSame && snapshot_id === checkpoint.snapshot_id && this.#ends.to === to;
  }

  /** The step; its parts can be read once. Throws as `ShardSource.step`. */
  async step(): Promise<SourceStep> {
    const { head } = await this.#planned;
    const parts = async function* (queue: PartQueue<ShardPart>) {
      try {
        yield* queue;
      } finally {
        queue.leave();
      }
    };
    return { head, parts: () => parts(this.#queue) };
  }

  /** Ends the reading. */
  async drop(): Promise<void> {
    this.#queue.leave();
    await this.#read;
  }

  async #fill(): Promise<void> {
    try {
      for await (const part of (await this.#planned).parts()) {
        await this.#queue.push(part);
        if (this.#queue.left) return;
      }
      this.#queue.end();
    } catch (error) {
      this.#queue.end(error);
    }
  }
}

/** The same step; `then` is called with its end state once all parts were read. */
export const whenRead = (
  { head, parts }: SourceStep,
  then: (to: SourceStep['head']['to']) => void,
): SourceStep => ({
  head,
  async *parts() {
    yield* parts();
    then(head.to);
  },
});
