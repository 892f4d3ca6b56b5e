import { LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { partOf, runSteps, type StepOptions, type Steps } from '../base/steps.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import { type WindowLayout, type WindowStart, windowName } from '../schema/windows.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { joinComponents } from '../segment/segment-share.ts';
import type { Directory } from '../storage/directory.ts';
import type { SegmentBuffer, SegmentBuffers, WrittenSegment } from './segment-buffers.ts';
import type { WriteGuard } from './write-guard.ts';

const MEMORY_BYTES = 256 * 2 ** 20;

/** What flushes need of their writer. */
export interface FlushHost {
  readonly directory: Directory;
  readonly guard: WriteGuard;
  readonly windows: WindowLayout | null;
  /** Bytes that documents may take in memory. Default: 256 MiB. */
  readonly memoryBytes: number | undefined;
  /** Windows of segments; null: of one without. */
  readonly stored: () => readonly (WindowStart | null)[];
  /** A segment's id that was never given before. */
  readonly nextId: () => string;
  readonly push: (entry: SegmentEntry) => void;
}

/** The documents of a writer that no segment has yet, and their way into segments. */
export class SegmentFlushes {
  readonly buffers: SegmentBuffers;
  readonly #host: FlushHost;
  /** Segments of which threads still write their shares, in their order. */
  #unfinished: readonly WrittenSegment[] = [];

  constructor(buffers: SegmentBuffers, host: FlushHost) {
    this.buffers = buffers;
    this.#host = host;
  }

  /** Segments that are being written. */
  get unfinished(): readonly SegmentEntry[] {
    return this.#unfinished.map(({ entry }) => entry);
  }

  /** Adds documents; writes a segment where they take too much memory. */
  add(block: DocumentBlock): void {
    if (this.buffers.overflows(block.docs)) this.flush();
    this.#take(block);
    if (this.#isFull) runSteps(this.#flushingLargest());
  }

  /** As `add`, with flushes in steps. */
  async addInSteps(block: DocumentBlock, options: StepOptions): Promise<void> {
    const { guard } = this.#host;
    if (this.buffers.overflows(block.docs)) await this.flushInSteps(options);
    guard.run(() => this.#take(block));
    const wait = this.buffers.ready();
    if (wait !== null) await guard.wait(wait, options);
    if (!this.#isFull) return;
    await this.#endSegments(options);
    await guard.take(this.#flushingLargest(), options);
  }

  /** Writes all documents as segments. */
  flush(): void {
    runSteps(this.#flushing());
    if (this.#unfinished.length === 0) return;
    throw new LhsError('internal', 'a writer with threads was not flushed in steps');
  }

  /** As `flush`, in steps. */
  async flushInSteps(options: StepOptions): Promise<void> {
    await this.#host.guard.take(this.#flushing(), options);
    await this.#endSegments(options);
  }

  #take(block: DocumentBlock): void {
    this.buffers.add(block);
    if (this.#host.windows !== null) this.#limitWindows(this.#host.windows);
  }

  #limitWindows({ every }: WindowLayout): void {
    const buffered = this.buffers.all.map(({ window }) => window ?? null);
    if (buffered.length <= 1) return;
    const written = this.unfinished.map(({ window }) => window ?? null);
    const windows = [...new Set([...this.#host.stored(), ...written, ...buffered])];
    if (windows.length <= LIMITS.windows) return;
    const last = windowName(windows[windows.length - 1], every);
    const message = `the dates of the rows need more than ${LIMITS.windows} windows ("${last}")`;
    throw new LhsError('limit_exceeded', message, {
      hint: `choose a longer period than "every: ${every}" in the definition's windows`,
    });
  }

  get #isFull(): boolean {
    return this.buffers.bytes >= (this.#host.memoryBytes ?? MEMORY_BYTES);
  }

  *#flushing(): Steps<void> {
    const buffers = this.buffers.all;
    for (const [at, buffer] of buffers.entries()) {
      yield* partOf(this.#flushingBuffer(buffer), at / buffers.length, (at + 1) / buffers.length);
    }
  }

  /** Frees the memory of the largest buffer: its segment is larger than when all are written. */
  *#flushingLargest(): Steps<void> {
    const { largest } = this.buffers;
    if (largest !== null) yield* this.#flushingBuffer(largest);
  }

  *#flushingBuffer(buffer: SegmentBuffer): Steps<void> {
    const { directory, nextId, push } = this.#host;
    const written = yield* this.buffers.flushing(buffer, directory, nextId());
    if (written.others !== null) this.#unfinished = [...this.#unfinished, written];
    else push(written.entry);
  }

  /** Waits for the threads' shares of segments and takes these in. */
  async #endSegments(options: StepOptions): Promise<void> {
    const { guard, push } = this.#host;
    for (const written of this.#unfinished) {
      const others = await guard.wait(written.others!, options);
      const components = joinComponents([written.entry.components, ...others]);
      guard.run(() => push({ ...written.entry, components }));
      this.#unfinished = this.#unfinished.filter((other) => other !== written);
    }
  }
}
