import type { ShardTable } from '../../schema/sharding/key-buckets.ts';
import { outsideShard } from '../../segment/buckets.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import { type Merged, type MergeField, mapDocuments } from '../../segment/merge.ts';
import type { PendingSegment } from '../pending-segment.ts';
import { carryOver, type MergePlan, mergedFiles, planMerge } from './merge-plan.ts';

/** What a split is made with. */
export interface SplitTarget {
  readonly path: string;
  readonly fields: readonly MergeField[];
  readonly nextId: () => string;
  /** The shard of each bucket. */
  readonly table: ShardTable;
}

/**
 * A segment that several shards have, on its way to a segment of each: a merge for each shard, one
 * after the other. They take its place together, so that no document counts twice in statistics.
 */
export class SegmentSplit {
  readonly source: PendingSegment;
  readonly #target: SplitTarget;
  readonly #frozen: ReturnType<PendingSegment['freeze']>;
  readonly #waiting: number[];
  readonly #ids: string[] = [];
  readonly #done: { readonly shard: number; readonly entry: SegmentEntry }[] = [];

  constructor(source: PendingSegment, target: SplitTarget) {
    this.source = source;
    this.#target = target;
    this.#frozen = source.freeze();
    this.#waiting = [...source.parts].flatMap(([shard, docs]) => (docs === 0 ? [] : shard));
  }

  /** The merge of the next shard; null: all of them have been planned. */
  next(): MergePlan | null {
    const shard = this.#waiting.shift();
    if (shard === undefined) return null;
    const { path, fields, nextId } = this.#target;
    const id = nextId();
    this.#ids.push(id);
    const plan = planMerge([this.source], { path, fields, id });
    const inputs = [{ entry: mergedFiles(this.source.entry), ...this.#frozenIn(shard) }];
    return { ...plan, job: { ...plan.job, inputs }, split: { whole: this, shard } };
  }

  /** Takes the merge of a shard; true: it was the last one. */
  take(shard: number, { entry: { shard: _, parts: __, ...entry } }: Merged): boolean {
    this.#done.push({ shard, entry: shard === 0 ? entry : { ...entry, shard } });
    return this.#waiting.length === 0;
  }

  /** The segments that take the place of the source, with what happened to it meanwhile. */
  targets(open: (entry: SegmentEntry) => PendingSegment): readonly PendingSegment[] {
    const opened: PendingSegment[] = [];
    try {
      for (const { shard, entry } of this.#done) {
        const target = open(entry);
        opened.push(target);
        const input = this.#frozenIn(shard);
        const { docMaps } = mapDocuments([{ reader: this.source.reader, ...input }]);
        carryOver([this.source], [input], docMaps, target);
      }
      return opened;
    } catch (error) {
      for (const { reader } of opened) reader.release();
      throw error;
    }
  }

  /** True for a file of the segment, or of one that is made of it. */
  isFileOf(name: string): boolean {
    const { components } = this.source.entry;
    return this.isMade(name) || components.some(({ file }) => file === name);
  }

  /** True for a file of a segment that is made. */
  isMade(name: string): boolean {
    return this.#ids.some((id) => name.startsWith(`${id}.`));
  }

  #frozenIn(shard: number): ReturnType<PendingSegment['freeze']> {
    const { deleted, moved } = this.#frozen;
    const { buckets } = this.source.reader;
    return { deleted: outsideShard(buckets, deleted, this.#target.table, shard), moved };
  }
}
