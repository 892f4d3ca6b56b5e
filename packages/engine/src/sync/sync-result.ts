import type {
  CallContext,
  FollowEvent,
  Healed,
  HealReason,
  VectorCounts,
} from '@lakehouse-search/contract';
import type { Snapshot } from '@lakehouse-search/lake';
import { addVectorCounts } from '../documents/vectors/vector-block.ts';
import type { Applied } from './batch/apply-batch.ts';

/** A step that has been committed. */
export type AppliedStep = Omit<Extract<FollowEvent, { event: 'commit' }>, 'event' | 'at'>;

/** Receivers of each commit and of progress. */
export interface SyncWork extends CallContext {
  /** One step over all snapshots, or one for each. Default: one if there are many. */
  readonly net?: boolean | undefined;
  readonly onCommit?: (step: AppliedStep) => void;
}

/** What a catch-up did. */
export interface SyncResult {
  readonly snapshotsApplied: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly skippedReplace: number;
  readonly droppedDuplicates: number;
  readonly healed?: Healed;
  readonly vectors: VectorCounts;
}

/** One step to take. */
export interface Step {
  readonly to: bigint | null;
  /** The snapshots whose changes it applies, oldest first; of one that heals, `to` alone. */
  readonly over: readonly Snapshot[];
  /** Why it heals; null: it does not. */
  readonly reason: HealReason | null;
}

/** Report of a step that a batch has applied. */
export function appliedStep(
  step: Step,
  { inserted, updated, deleted, skipped_rows, first_skipped_rows }: Applied,
  took_ms: number,
  vectors: VectorCounts,
): AppliedStep {
  const counts = { inserted, updated, deleted };
  const { length: snapshots, 0: first } = step.over;
  return {
    snapshot: step.to === null ? null : String(step.to),
    ...(snapshots > 1 ? { operation: null, snapshots } : { operation: first?.operation ?? null }),
    ...counts,
    took_ms,
    ...vectors,
    ...(skipped_rows === undefined ? {} : { skipped_rows }),
    ...(first_skipped_rows === undefined ? {} : { first_skipped_rows }),
    ...(step.reason === null ? {} : { healed: { reason: step.reason, ...counts } }),
  };
}

/** Reports a committed step to the caller. */
export function report({ progress, onCommit }: SyncWork, done: AppliedStep): void {
  const { snapshot, operation, inserted, updated, deleted } = done;
  const { embeddings } = done;
  const docs = inserted + updated + deleted;
  progress?.({
    phase: 'syncing',
    docs_done: docs,
    docs_total: docs,
    ...(snapshot === null ? {} : { snapshot }),
    ...(operation === null ? {} : { operation }),
    inserted,
    updated,
    deleted,
    ...(embeddings === undefined ? {} : { embeddings }),
  });
  onCommit?.(done);
}

/** Sums of a catch-up's steps. */
export class Total {
  #sum = { snapshotsApplied: 0, inserted: 0, updated: 0, deleted: 0 };
  #skippedReplace = 0;
  #droppedDuplicates = 0;
  #healed: Healed | undefined;
  #vectors: VectorCounts = {};

  add(step: Step, applied: Applied, { healed, embeddings, without_vector }: AppliedStep): void {
    this.#sum.snapshotsApplied += Math.max(1, step.over.length);
    this.#sum.inserted += applied.inserted;
    this.#sum.updated += applied.updated;
    this.#sum.deleted += applied.deleted;
    this.#droppedDuplicates += Math.max(0, applied.dropped);
    if (step.reason === null)
      this.#skippedReplace += step.over.filter(({ operation }) => operation === 'replace').length;
    this.#healed ??= healed;
    this.#vectors = addVectorCounts(this.#vectors, {
      ...(embeddings === undefined ? {} : { embeddings }),
      ...(without_vector === undefined ? {} : { without_vector }),
    });
  }

  result(): SyncResult {
    return {
      ...this.#sum,
      skippedReplace: this.#skippedReplace,
      droppedDuplicates: this.#droppedDuplicates,
      vectors: this.#vectors,
      ...(this.#healed === undefined ? {} : { healed: this.#healed }),
    };
  }
}
