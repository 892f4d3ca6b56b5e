import { LIMITS } from '../base/limits.ts';
import type { Steps } from '../base/steps.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { WindowStart } from '../schema/windows.ts';
import type { Component, SegmentEntry } from '../segment/entry.ts';
import type { SegmentShare } from '../segment/segment-share.ts';
import { SegmentWriter } from '../segment/segment-writer.ts';
import type { Directory } from '../storage/directory.ts';
import type { BuildThread, BuildThreads } from './build-threads.ts';
import type { SegmentLayout } from './commits/commit.ts';
import { splitBlock } from './split-block.ts';

/** The documents of one shard and window that no segment has yet. */
export interface SegmentBuffer {
  /** Tells it from the other buffers. */
  readonly name: string;
  readonly shard: number;
  /** undefined: the index has no windows. */
  readonly window: WindowStart | undefined;
  readonly writer: SegmentWriter;
}

/** A segment of which this thread has written its share. */
export interface WrittenSegment {
  readonly entry: SegmentEntry;
  /** The components of the other threads; null: there are no other threads. */
  readonly others: Promise<readonly (readonly Component[])[]> | null;
}

/**
 * The documents of a writer that no segment has yet: one segment writer per shard and window, made
 * with its first document. The memory of all of them together is limited. Build threads collect the
 * same documents for their shares of the segments.
 */
export class SegmentBuffers {
  readonly #plans: readonly FieldPlan[];
  readonly #layout: SegmentLayout;
  readonly #buffers = new Map<string, SegmentBuffer>();
  readonly #own: SegmentShare | undefined;
  readonly #threads: readonly BuildThread[];

  constructor(
    plans: readonly FieldPlan[],
    layout: SegmentLayout,
    threads: BuildThreads | null = null,
  ) {
    this.#plans = plans;
    this.#layout = layout;
    this.#own = threads?.own;
    this.#threads = threads?.threads ?? [];
  }

  get docs(): number {
    return this.all.reduce((sum, { writer }) => sum + writer.docs, 0);
  }

  /** Bytes of memory of all buffers, about, those of threads too. */
  get bytes(): number {
    let bytes = 0;
    for (const { writer } of this.#buffers.values()) bytes += writer.bytes;
    for (const thread of this.#threads) bytes += thread.bytes;
    return bytes;
  }

  /** Null: all threads can take more documents; else it ends when they can. */
  ready(): Promise<unknown> | null {
    const waits = this.#threads.map((thread) => thread.ready()).filter((wait) => wait !== null);
    return waits.length === 0 ? null : Promise.all(waits);
  }

  /** Buffers with documents, by shard, then in the order of their first documents. */
  get all(): readonly SegmentBuffer[] {
    return [...this.#buffers.values()].sort((a, b) => a.shard - b.shard);
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
        buffer = { name, shard, window, writer: new SegmentWriter(this.#plans, this.#own) };
        this.#buffers.set(name, buffer);
      }
      for (const thread of this.#threads) thread.add(name, own);
      buffer.writer.add(own);
    }
  }

  /**
   * The buffer whose documents take the most memory, or that has the most documents if threads
   * share the memory; null: there are none.
   */
  get largest(): SegmentBuffer | null {
    let largest: SegmentBuffer | null = null;
    let most = -1;
    for (const buffer of this.#buffers.values()) {
      const { bytes, docs } = buffer.writer;
      const size = this.#threads.length === 0 ? bytes : docs;
      if (size > most) [largest, most] = [buffer, size];
    }
    return largest;
  }

  /** Writes the documents of a buffer as a segment and forgets them. */
  *flushing(buffer: SegmentBuffer, directory: Directory, id: string): Steps<WrittenSegment> {
    const { name, shard, window, writer } = buffer;
    const others = this.#threads.map((thread) => thread.finish(name, id));
    const all = others.length === 0 ? null : Promise.all(others);
    // A failure is thrown where the writer takes the components.
    all?.catch(() => {});
    const entry = yield* writer.finishing(directory, id);
    this.#buffers.delete(name);
    const placed = {
      ...entry,
      ...(shard === 0 ? {} : { shard }),
      ...(window === undefined ? {} : { window }),
    };
    return { entry: placed, others: all };
  }

  /** Forgets all documents. */
  clear(): void {
    this.#buffers.clear();
    for (const thread of this.#threads) thread.clear();
  }
}
