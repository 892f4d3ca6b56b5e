import { LIMITS } from '../base/limits.ts';
import type { Steps } from '../base/steps.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { WindowStart } from '../schema/windows.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { SegmentWriter } from '../segment/segment-writer.ts';
import type { Directory } from '../storage/directory.ts';
import type { SegmentLayout } from './commit.ts';
import { splitBlock } from './split-block.ts';

/** The documents of one shard and window that no segment has yet. */
export interface SegmentBuffer {
  readonly shard: number;
  /** undefined: the index has no windows. */
  readonly window: WindowStart | undefined;
  readonly writer: SegmentWriter;
}

/**
 * The documents of a writer that no segment has yet: one segment writer per shard and window, made
 * with its first document. The memory of all of them together is limited.
 */
export class SegmentBuffers {
  readonly #plans: readonly FieldPlan[];
  readonly #layout: SegmentLayout;
  readonly #buffers = new Map<string, SegmentBuffer>();

  constructor(plans: readonly FieldPlan[], layout: SegmentLayout) {
    this.#plans = plans;
    this.#layout = layout;
  }

  get docs(): number {
    return this.all.reduce((sum, { writer }) => sum + writer.docs, 0);
  }

  /** Bytes of memory of all buffers, about. */
  get bytes(): number {
    let bytes = 0;
    for (const { writer } of this.#buffers.values()) bytes += writer.bytes;
    return bytes;
  }

  /** Buffers with documents, by shard, then in the order of their first documents. */
  get all(): readonly SegmentBuffer[] {
    return [...this.#buffers.values()].sort((a, b) => a.shard - b.shard);
  }

  /** Documents of a shard. */
  docsOf(shard: number): number {
    return this.all.reduce((sum, own) => sum + (own.shard === shard ? own.writer.docs : 0), 0);
  }

  /** Whether `docs` more documents may be too many for a segment. */
  overflows(docs: number): boolean {
    for (const { writer } of this.#buffers.values()) {
      if (writer.docs + docs > LIMITS.segmentDocs) return true;
    }
    return false;
  }

  /** Adds each document of the block to the buffer of its key and date. */
  add(block: DocumentBlock): void {
    for (const { shard, window, block: own } of splitBlock(block, this.#layout, this.#plans)) {
      const name = `${shard}/${window}`;
      let buffer = this.#buffers.get(name);
      if (buffer === undefined) {
        buffer = { shard, window, writer: new SegmentWriter(this.#plans) };
        this.#buffers.set(name, buffer);
      }
      buffer.writer.add(own);
    }
  }

  /** The buffer whose documents take the most memory; null: there are none. */
  get largest(): SegmentBuffer | null {
    let largest: SegmentBuffer | null = null;
    let most = -1;
    for (const buffer of this.#buffers.values()) {
      const { bytes } = buffer.writer;
      if (bytes > most) [largest, most] = [buffer, bytes];
    }
    return largest;
  }

  /** Writes the documents of a buffer as a segment and forgets them. */
  *flushing(buffer: SegmentBuffer, directory: Directory, id: string): Steps<SegmentEntry> {
    const { shard, window, writer } = buffer;
    const entry = yield* writer.finishing(directory, id);
    this.#buffers.delete(`${shard}/${window}`);
    return {
      ...entry,
      ...(shard === 0 ? {} : { shard }),
      ...(window === undefined ? {} : { window }),
    };
  }

  /** Forgets all documents. */
  clear(): void {
    this.#buffers.clear();
  }
}
