import type { BatchPart, ChangeBatch } from '@lakehouse-search/contract';
import type { SourceStep } from '@lakehouse-search/engine/internal';
import { PartQueue } from './part-queue.ts';

/** Shards on one node. */
export interface StepTarget {
  readonly ordinals: readonly number[];
  /** Applies a batch, whose parts come one by one. */
  readonly apply: (batch: ChangeBatch) => Promise<unknown>;
}

/**
 * Sends a step to shards: it is read once, and each target gets the parts of its shards. Reads as
 * fast as the slowest target takes its parts. Throws the first error after all targets have ended;
 * those that applied the step keep it.
 */
export async function sendStep(step: SourceStep, targets: readonly StepTarget[]): Promise<void> {
  const lanes = targets.map(({ ordinals, apply }) => {
    const parts = new PartQueue<BatchPart>();
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
