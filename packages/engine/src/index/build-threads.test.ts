import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, test } from 'vitest';
import { filesNamed } from '../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import {
  arena,
  blockOf,
  contentOf,
  plans,
  type Row,
} from '../../../../test/support/writer-pair.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import { SegmentWriter } from '../segment/segment-writer.ts';
import { type BuildThread, type BuildThreads, unlessStopped } from './build-threads.ts';
import { IndexWriter } from './index-writer.ts';
import type { IndexWriterOptions } from './writer-options.ts';

const row = (i: number): [string, Row] => [`k${i}`, { n: BigInt(i), file: 0, position: i }];
const rows = (from: number, count = 10): DocumentBlock =>
  blockOf(Array.from({ length: count }, (_, i) => row(from + i)));
const state = { checkpoint: null, files: filesNamed('a') };

/** A thread of this thread: it writes a segment when `write` is called. */
class GatedThread implements BuildThread {
  readonly #directory: MemoryDirectory;
  readonly #waiting: (() => void)[] = [];
  #writer = new SegmentWriter(plans, { fields: [2], rows: false });
  failure: unknown = null;
  most = 0;

  constructor(directory: MemoryDirectory) {
    this.#directory = directory;
  }

  get bytes(): number {
    return 100 * this.#writer.docs;
  }

  ready(): Promise<void> | null {
    return this.failure === null ? null : Promise.reject(this.failure);
  }

  add(_: string, block: DocumentBlock): void {
    this.#writer.add(block);
    this.most = Math.max(this.most, this.bytes);
  }

  finish(_: string, id: string) {
    const writer = this.#writer;
    this.clear();
    return new Promise<ReturnType<SegmentWriter['finish']>['components']>((resolve) => {
      this.#waiting.push(() => resolve(writer.finish(this.#directory, id).components));
    });
  }

  clear(): void {
    this.#writer = new SegmentWriter(plans, { fields: [2], rows: false });
  }

  /** Writes the segments that `finish` requested; returns their number. */
  write(): number {
    const waiting = this.#waiting.splice(0);
    for (const write of waiting) write();
    return waiting.length;
  }
}

function openWriter(memoryBytes: number, options: IndexWriterOptions = {}) {
  const directory = new MemoryDirectory(arena);
  const thread = new GatedThread(directory);
  const threads: BuildThreads = {
    own: { fields: [1], rows: true },
    threads: [thread],
    close: async () => {},
  };
  const writer = IndexWriter.open(directory, plans, { memoryBytes, threads, ...options });
  return { directory, thread, writer };
}

/** Runs the pending writes of the thread until `work` ends. */
async function whileWriting<T>(thread: GatedThread, work: Promise<T>): Promise<T> {
  let ended = false;
  const end = work.finally(() => {
    ended = true;
  });
  while (!ended) {
    thread.write();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return end;
}

describe('a writer whose segments are shared with threads', () => {
  test('makes the index that it makes alone', async () => {
    const { directory, thread, writer } = openWriter(2 ** 20);
    const alone = new MemoryDirectory(arena);
    const other = IndexWriter.open(alone, plans);
    for (const block of [rows(0), rows(10), rows(20)]) {
      await writer.addInSteps(block, {});
      other.add(block);
    }
    await whileWriting(thread, writer.flushInSteps({}));
    const { segments } = writer.commit(state);
    expect(segments).toEqual(other.commit(state).segments);
    expect(contentOf(directory)).toEqual(contentOf(alone));
    writer.close();
    other.close();
  });

  test('flushes when its documents and those of the threads reach the limit', async () => {
    const { thread, writer } = openWriter(30_000);
    for (let from = 0; from < 1000; from += 10) {
      await whileWriting(thread, writer.addInSteps(rows(from), {}));
    }
    expect(thread.most).toBeGreaterThan(5000);
    expect(thread.most).toBeLessThan(30_000);
    await whileWriting(thread, writer.flushInSteps({}));
    expect(writer.segments).toBeGreaterThan(3);
    expect(writer.liveDocs).toBe(1000);
    writer.close();
  });

  test('goes on while a thread writes, and takes its share before the next flush', async () => {
    const { thread, writer } = openWriter(1);
    await writer.addInSteps(rows(0), {});
    expect([writer.segments, writer.liveDocs, writer.shardDocs]).toEqual([0, 10, [10]]);
    const second = writer.addInSteps(rows(10), {});
    expect(writer.liveDocs).toBe(20);
    await whileWriting(thread, second);
    expect(writer.segments).toBe(1);
    await whileWriting(thread, writer.flushInSteps({}));
    expect([writer.segments, writer.liveDocs]).toEqual([2, 20]);
    writer.add(rows(20));
    expect(() => writer.flush()).toThrow('was not flushed in steps');
    writer.close();
  });

  test('counts the documents of windows that a thread still writes', async () => {
    const { thread, writer } = openWriter(1, { windows: { field: 1, every: 'day' } });
    await writer.addInSteps(rows(0), {});
    expect([writer.segments, [...writer.windowDocs]]).toEqual([0, [[0, 10]]]);
    await whileWriting(thread, writer.flushInSteps({}));
    expect([writer.segments, [...writer.windowDocs]]).toEqual([1, [[0, 10]]]);
    writer.close();
  });

  test('refuses more work after a thread has failed, until it rolls back', async () => {
    const { thread, writer } = openWriter(2 ** 20);
    await writer.addInSteps(rows(0), {});
    thread.failure = new LhsError('disk_full', 'no room');
    await expect(writer.addInSteps(rows(10), {})).rejects.toMatchObject({ code: 'disk_full' });
    thread.failure = null;
    await expect(writer.addInSteps(rows(20), {})).rejects.toMatchObject({ code: 'io_error' });
    writer.rollback();
    await writer.addInSteps(rows(20), {});
    expect(writer.liveDocs).toBe(10);
    writer.close();
  });

  test('stops to wait for a thread when the signal aborts', async () => {
    const { writer } = openWriter(2 ** 20);
    await writer.addInSteps(rows(0), {});
    const stop = new AbortController();
    const flush = writer.flushInSteps({ signal: stop.signal });
    stop.abort();
    await expect(flush).rejects.toMatchObject({ code: 'interrupted' });
    const never = new Promise<void>(() => {});
    await expect(unlessStopped(never, stop.signal)).rejects.toMatchObject({ code: 'interrupted' });
    writer.close();
  });
});
