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
import { SegmentSplit } from './split-plan.ts';

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

/** Tells the files of the segment that a merge makes. */
const isNamedBy =
  ({ job }: MergePlan) =>
  (name: string): boolean =>
    name.startsWith(`${job.id}.`);

/** The merges of one writer that are planned and neither installed nor dropped. */
export class PlannedMerges {
  readonly #host: MergeHost;
  readonly #plans = new Set<MergePlan>();
  #split: SegmentSplit | null = null;

  constructor(host: MergeHost) {
    this.#host = host;
  }

  /**
   * Plans the merge that the policy wants most; null: none. It is to be installed or dropped;
   * segments of merges that run are left out. `splits`: if there is none, one of `nextSplit`.
   */
  best(settings = this.#settings, splits = true): MergePlan | null {
    return this.#host.guard.run(() => {
      if (this.#split !== null) return this.#nextPart();
      const free = this.#free();
      const [group] = chooseMerges(
        free.map(({ size }) => size),
        settings,
      );
      if (group !== undefined) return this.#plan(group.map((at) => free[at]));
      return splits ? this.#nextPart() : null;
    });
  }

  /**
   * Plans the next merge of those that leave each shard segments of its own; null: each has. Of
   * `only` these if they are given. It is to be installed or dropped before the next one.
   */
  nextSplit(only?: ReadonlySet<string>): MergePlan | null {
    const { guard, flush } = this.#host;
    return guard.run(() => {
      flush();
      return this.#nextPart(only);
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
    return this.#runEach(() => this.best());
  }

  /** Runs the merges of `forced` here and now; returns their number. */
  runForced(count = 1): number {
    const splits = this.#runEach(() => this.nextSplit());
    const plans = this.forced(count);
    for (const plan of plans) this.#runHere(plan);
    return splits + plans.length;
  }

  /**
   * Takes a merge's segment in place of its sources, visible at the next commit: deletes and moves
   * made since it was planned are carried over. False, and its files are removed, where its sources
   * are gone (`rollback`); false too while merges of other shards of its source are missing.
   * Throws, its files removed and the writer as it was, if the segment differs from the plan.
   */
  install(plan: MergePlan, merged: Merged): boolean {
    this.#host.guard.run(() => {});
    const installed = this.#install(plan, merged);
    if (installed) this.#host.changed();
    return installed;
  }

  /** Forgets a merge and removes the files that it made; it runs no more. */
  drop(plan: MergePlan): void {
    if (!this.#plans.delete(plan)) return;
    if (plan.split === undefined) this.#removeFiles(isNamedBy(plan));
    else this.#endSplit(plan.split.whole);
  }

  /** True for a file that a merge reads or writes. */
  needs(name: string): boolean {
    for (const plan of this.#plans) if (isFileOf(plan, name)) return true;
    return this.#split?.isFileOf(name) === true;
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
    const { split, sources } = plan;
    if (split?.whole.take(split.shard, merged) === false) return false;
    const isMade =
      split === undefined ? isNamedBy(plan) : (name: string) => split.whole.isMade(name);
    if (split !== undefined) this.#split = null;
    try {
      const targets = split?.whole.targets(this.#host.open) ?? [this.#merged(plan, merged)];
      if (this.#host.segments().replace(sources, targets)) return true;
      for (const { reader } of targets) reader.release();
    } catch (error) {
      this.#removeFiles(isMade);
      throw error;
    }
    this.#removeFiles(isMade);
    return false;
  }

  #merged({ job, sources }: MergePlan, { entry, docMaps }: Merged): PendingSegment {
    const target = this.#host.open(entry);
    carryOver(sources, job.inputs, docMaps, target);
    return target;
  }

  /** Hot segments of one shard that no merge has taken yet. */
  #free(): readonly PendingSegment[] {
    return this.#hot().filter(({ entry }) => entry.parts === undefined);
  }

  #hot(): readonly PendingSegment[] {
    const segments = this.#host.segments();
    segments.dropDead();
    const taken = new Set([...this.#plans].flatMap(({ sources }) => sources));
    if (this.#split !== null) taken.add(this.#split.source);
    return segments.all.filter((segment) => !taken.has(segment) && !segment.reader.isCold);
  }

  /** Of the segments that several shards have, the one that the most have comes first. */
  #nextPart(only?: ReadonlySet<string>): MergePlan | null {
    if (this.#split === null) {
      const shared = this.#hot().filter(
        ({ entry, reader }) => entry.parts !== undefined && only?.has(reader.id) !== false,
      );
      const [most] = shared.sort((a, b) => b.parts.size - a.parts.size);
      if (most === undefined) return null;
      const { directory, fields, nextId, segments } = this.#host;
      const { table } = segments();
      this.#split = new SegmentSplit(most, {
        path: directory.path,
        fields,
        nextId,
        table,
      });
    }
    const plan = this.#split.next();
    if (plan !== null) this.#plans.add(plan);
    return plan;
  }

  #endSplit(split: SegmentSplit): void {
    if (this.#split === split) this.#split = null;
    this.#removeFiles((name) => split.isMade(name));
  }

  #runEach(next: () => MergePlan | null): number {
    let merges = 0;
    for (let plan = next(); plan !== null; plan = next()) {
      this.#runHere(plan);
      merges++;
    }
    return merges;
  }

  #plan(sources: readonly PendingSegment[]): MergePlan {
    const { directory, fields, nextId } = this.#host;
    const plan = planMerge(sources, { path: directory.path, id: nextId(), fields });
    this.#plans.add(plan);
    return plan;
  }

  /** What cannot be removed is an orphan: the next open removes it. */
  #removeFiles(isMade: (name: string) => boolean): void {
    const { directory } = this.#host;
    try {
      for (const name of directory.list()) {
        if (isMade(name)) directory.remove(name);
      }
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
    }
  }
}
