import { LhsError } from '@lakehouse-search/contract';
import type { SegmentEntry } from '../../segment/entry.ts';
import type { Merged, MergeField } from '../../segment/merge.ts';
import type { Directory } from '../../storage/directory.ts';
import type { PendingSegment } from '../pending-segment.ts';
import type { SegmentSet } from '../segment-set.ts';
import type { WriteGuard } from '../write-guard.ts';
import { carryOver, isFileOf, type MergePlan, planMerge, runHere } from './merge-plan.ts';
import {
  chooseForcedMerges,
  chooseMerges,
  MERGE_SETTINGS,
  type MergeSettings,
} from './merge-policy.ts';

/** What merges need of their writer. */
export interface MergeHost {
  readonly directory: Directory;
  readonly guard: WriteGuard;
  /** Default: MERGE_SETTINGS. */
  readonly settings: MergeSettings | undefined;
  readonly fields: readonly MergeField[];
  /** The writer's segments by now. */
  readonly segments: () => SegmentSet;
  /** A segment's id that was never given before. */
  readonly nextId: () => string;
  readonly open: (entry: SegmentEntry) => PendingSegment;
  /** Writes the documents that no segment has yet. */
  readonly flush: () => void;
  /** Notes that the next commit has something new. */
  readonly changed: () => void;
}

/** The merges of one writer that are planned and neither installed nor dropped. */
export class PlannedMerges {
  readonly #host: MergeHost;
  readonly #plans = new Set<MergePlan>();

  constructor(host: MergeHost) {
    this.#host = host;
  }

  /**
   * Plans the merge that the policy wants most; null: none. It is to be installed or dropped;
   * segments of merges that run are left out.
   */
  best(settings = this.#settings): MergePlan | null {
    return this.#host.guard.run(() => {
      const free = this.#free();
      const [group] = chooseMerges(
        free.map(({ size }) => size),
        settings,
      );
      return group === undefined ? null : this.#plan(group.map((place) => free[place]));
    });
  }

  /**
   * Plans merges that leave `count` segments per shard and window as far as limits allow, and no
   * deleted document. Each is to be installed or dropped.
   */
  forced(count = 1, settings = this.#settings): readonly MergePlan[] {
    return this.#flushed((free) => {
      const groups = chooseForcedMerges(
        free.map(({ size }) => size),
        count,
        settings,
      );
      return groups.map((group) => this.#plan(group.map((place) => free[place])));
    });
  }

  /**
   * Plans for each of these segments a merge of it alone, which drops its deleted documents. Each
   * is to be installed or dropped; a segment that a merge has is left out.
   */
  each(segments: ReadonlySet<string>): readonly MergePlan[] {
    return this.#flushed((free) =>
      free.filter(({ reader }) => segments.has(reader.id)).map((segment) => this.#plan([segment])),
    );
  }

  /** Merges what the policy says, here and now; returns the number of merges. */
  run(): number {
    let merges = 0;
    for (let plan = this.best(); plan !== null; plan = this.best()) {
      this.#runHere(plan);
      merges++;
    }
    return merges;
  }

  /** Runs the merges of `forced` here and now; returns their number. */
  runForced(count = 1): number {
    const plans = this.forced(count);
    for (const plan of plans) this.#runHere(plan);
    return plans.length;
  }

  /**
   * Takes a merge's segment in place of its sources, visible at the next commit: deletes and moves
   * made since it was planned are carried over. False, and its files are removed, where its sources
   * are gone (`rollback`). Throws, its files removed and the writer as it was, if the segment
   * differs from the plan.
   */
  install(plan: MergePlan, merged: Merged): boolean {
    this.#host.guard.run(() => {});
    const installed = this.#install(plan, merged);
    if (installed) this.#host.changed();
    return installed;
  }

  /** Forgets a merge and removes the files that it made; it runs no more. */
  drop(plan: MergePlan): void {
    if (this.#plans.delete(plan)) this.#removeFiles(plan);
  }

  /** True for a file that a merge reads or writes. */
  needs(name: string): boolean {
    for (const plan of this.#plans) if (isFileOf(plan, name)) return true;
    return false;
  }

  get #settings(): MergeSettings {
    return this.#host.settings ?? MERGE_SETTINGS;
  }

  /** Plans over all documents, those in memory too. */
  #flushed(plan: (free: readonly PendingSegment[]) => readonly MergePlan[]): readonly MergePlan[] {
    const { guard, flush } = this.#host;
    return guard.run(() => {
      flush();
      return plan(this.#free());
    });
  }

  #runHere(plan: MergePlan): void {
    const { guard, directory, changed } = this.#host;
    guard.run(() => {
      try {
        this.#install(plan, runHere(plan, directory));
      } catch (error) {
        this.drop(plan);
        throw error;
      }
    });
    changed();
  }

  #install(plan: MergePlan, merged: Merged): boolean {
    if (!this.#plans.delete(plan)) return false;
    try {
      const target = this.#host.open(merged.entry);
      carryOver(plan, merged, target);
      if (this.#host.segments().replace(plan.sources, target)) return true;
      target.reader.release();
    } catch (error) {
      this.#removeFiles(plan);
      throw error;
    }
    this.#removeFiles(plan);
    return false;
  }

  /** Hot segments that no merge has taken yet. */
  #free(): readonly PendingSegment[] {
    const segments = this.#host.segments();
    segments.dropDead();
    const taken = new Set([...this.#plans].flatMap(({ sources }) => sources));
    return segments.all.filter((segment) => !taken.has(segment) && !segment.reader.isCold);
  }

  #plan(sources: readonly PendingSegment[]): MergePlan {
    const { directory, fields, nextId } = this.#host;
    const plan = planMerge(sources, { path: directory.path, id: nextId(), fields });
    this.#plans.add(plan);
    return plan;
  }

  /** What cannot be removed is an orphan: the next open removes it. */
  #removeFiles({ job }: MergePlan): void {
    const { directory } = this.#host;
    try {
      for (const name of directory.list()) {
        if (name.startsWith(`${job.id}.`)) directory.remove(name);
      }
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
    }
  }
}
