import { LhsError } from '@lakehouse-search/contract';
import type { SegmentEntry } from '../../segment/entry.ts';
import type { Merged, MergeField } from '../../segment/merge.ts';
import type { Directory } from '../../storage/directory.ts';
import type { PendingSegment } from '../pending-segment.ts';
import type { SegmentSet } from '../segment-set.ts';
import { carryOver, isFileOf, type MergePlan, planMerge, runHere } from './merge-plan.ts';
import { chooseForcedMerges, chooseMerges, type MergeSettings } from './merge-policy.ts';

/** What merges need of their writer. */
export interface MergeHost {
  readonly directory: Directory;
  readonly fields: readonly MergeField[];
  /** The writer's segments by now. */
  readonly segments: () => SegmentSet;
  /** A segment's id that was never given before. */
  readonly nextId: () => string;
  readonly open: (entry: SegmentEntry) => PendingSegment;
}

/** The merges of one writer that are planned and neither installed nor dropped. */
export class PlannedMerges {
  readonly #host: MergeHost;
  readonly #plans = new Set<MergePlan>();

  constructor(host: MergeHost) {
    this.#host = host;
  }

  /** Plans the merge that the policy wants most; null: none. */
  best(settings: MergeSettings): MergePlan | null {
    const free = this.#free();
    const sizes = free.map(({ size }) => size);
    const [group] = chooseMerges(sizes, settings);
    return group === undefined ? null : this.#plan(group.map((place) => free[place]));
  }

  /** Plans merges that leave `count` segments as far as limits allow, and no deleted document. */
  forced(count: number, settings: MergeSettings): readonly MergePlan[] {
    const free = this.#free();
    const sizes = free.map(({ size }) => size);
    const groups = chooseForcedMerges(sizes, count, settings);
    return groups.map((group) => this.#plan(group.map((place) => free[place])));
  }

  /** Plans for each of these segments a merge of it alone; a segment that a merge has is left out. */
  each(segments: ReadonlySet<string>): readonly MergePlan[] {
    return this.#free()
      .filter(({ reader }) => segments.has(reader.id))
      .map((segment) => this.#plan([segment]));
  }

  /** Runs a merge here and now, and installs it. */
  run(plan: MergePlan): void {
    try {
      this.install(plan, runHere(plan, this.#host.directory));
    } catch (error) {
      this.drop(plan);
      throw error;
    }
  }

  /** As `IndexWriter.installMerge`. */
  install(plan: MergePlan, merged: Merged): boolean {
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

  /** Forgets a merge and removes the files that it made; it runs no more. */
  drop(plan: MergePlan): void {
    if (this.#plans.delete(plan)) this.#removeFiles(plan);
  }

  /** True for a file that a merge reads or writes. */
  needs(name: string): boolean {
    for (const plan of this.#plans) if (isFileOf(plan, name)) return true;
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
