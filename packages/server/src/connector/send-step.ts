import type { BatchPart, ChangeBatch } from '@lakehouse-search/contract';
import type { SourceStep } from '@lakehouse-search/engine';

/** Shards on one node. */
export interface StepTarget {
  readonly ordinals: readonly number[];
  /** Applies a batch, whose parts come one by one. */
  readonly apply: (batch: ChangeBatch) => Promise<unknown>;
}

/** Parts that may wait for a node while the step is read for others. */
const WAITING_PARTS = 4;

/**
 * Sends a step to shards: it is read once, and each target gets the parts of its shards. Reads as
 * fast as the slowest target takes its parts. Throws the first error after all targets have ended;
 * those that applied the step keep it.
 */
export async function sendStep(step: SourceStep, targets: readonly StepTarget[]): Promise<void> {
  const lanes = targets.map(({ ordinals, apply }) => {
    const parts = new PartQueue();
    const done = apply({ ...step.head, parts }).finally(() => parts.leave());
    done.catch(() => {});
    return { ordinals: new Set(ordinals), parts, done };
  });
  try {
    for await (const { shard, part } of step.parts()) {
      const takers = lanes.filter(({ ordinals }) => shard === null || ordinals.has(shard));
      for (const { parts } of takers) await parts.push(part);
      if (lanes.every(({ parts }) => parts.left)) break;
    }
    for (const { parts } of lanes) parts.end();
  } catch (error) {
    for (const { parts } of lanes) parts.end(error);
    await Promise.allSettled(lanes.map(({ done }) => done));
    throw error;
  }
  const results = await Promise.allSettled(lanes.map(({ done }) => done));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Parts on their way to one reader. A reader that has left takes no more. */
class PartQueue implements AsyncIterable<BatchPart> {
  readonly #waiting: BatchPart[] = [];
  #ended = false;
  #left = false;
  #error: unknown;
  #changed = Promise.withResolvers<void>();

  get left(): boolean {
    return this.#left;
  }

  async push(part: BatchPart): Promise<void> {
    while (this.#waiting.length >= WAITING_PARTS && !this.#left) await this.#changed.promise;
    if (this.#left) return;
    this.#waiting.push(part);
    this.#notify();
  }

  /** No more parts; with an error, the reader fails. */
  end(error?: unknown): void {
    this.#ended = true;
    this.#error = error;
    this.#notify();
  }

  leave(): void {
    this.#left = true;
    this.#waiting.length = 0;
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BatchPart> {
    for (;;) {
      const part = this.#waiting.shift();
      if (part !== undefined) {
        this.#notify();
        yield part;
      } else if (this.#ended || this.#left) {
        if (this.#error !== undefined) throw this.#error;
        return;
      } else await this.#changed.promise;
    }
  }

  #notify(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
