import { LIMITS } from '../base/limits.ts';
import type { Steps } from '../base/steps.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { SegmentWriter } from '../segment/segment-writer.ts';
import type { Directory } from '../storage/directory.ts';
import { splitBlock } from './split-block.ts';

/**
 * The documents of a writer that no segment holds yet: one segment writer per shard, made when the
 * shard gets its first document. The memory of all of them together is what is bounded.
 */
export class ShardBuffers {
  readonly #plans: readonly FieldPlan[];
  readonly #writers: (SegmentWriter | null)[];

  constructor(plans: readonly FieldPlan[], shards: number) {
    this.#plans = plans;
    this.#writers = new Array<SegmentWriter | null>(shards).fill(null);
  }

  get docs(): number {
    return this.#writers.reduce((sum, writer) => sum + (writer?.docs ?? 0), 0);
  }

  /** Bytes of memory of all shards, about. */
  get bytes(): number {
    return this.#writers.reduce((sum, writer) => sum + (writer?.bytes ?? 0), 0);
  }

  /** Documents of a shard. */
  docsOf(shard: number): number {
    return this.#writers[shard]?.docs ?? 0;
  }

  /** Whether `docs` more documents may be too many for a segment. */
  overflows(docs: number): boolean {
    return this.#writers.some((writer) => (writer?.docs ?? 0) + docs > LIMITS.segmentDocs);
  }

  /** Adds each document of the block to the shard of its key. */
  add(block: DocumentBlock): void {
    for (const { shard, block: own } of splitBlock(block, this.#writers.length)) {
      this.#writers[shard] ??= new SegmentWriter(this.#plans);
      this.#writers[shard].add(own);
    }
  }

  /** Shards that have documents, ascending. */
  get filled(): readonly number[] {
    return this.#writers.flatMap((writer, shard) => (writer === null ? [] : [shard]));
  }

  /** The shard whose documents take the most memory. */
  get largest(): number {
    const bytes = this.#writers.map((writer) => writer?.bytes ?? 0);
    return bytes.indexOf(Math.max(...bytes));
  }

  /** Writes the documents of a shard as a segment and forgets them; null: there are none. */
  *flushing(shard: number, directory: Directory, id: () => string): Steps<SegmentEntry | null> {
    const writer = this.#writers[shard];
    if (writer === null) return null;
    const entry = yield* writer.finishing(directory, id());
    this.#writers[shard] = null;
    return shard === 0 ? entry : { ...entry, shard };
  }

  /** Forgets all documents. */
  clear(): void {
    this.#writers.fill(null);
  }
}
