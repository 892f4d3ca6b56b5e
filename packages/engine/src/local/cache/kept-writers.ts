import { LhsError } from '@lakehouse-search/contract';
import type { Clock } from '../../base/time/clock.ts';
import type { LiveSession } from '../../sync/follow/follow-table.ts';

/** An index that is open for change batches. */
export interface OpenWriter extends LiveSession {
  /** Gives the lock back. */
  readonly unlock: () => void;
}

interface KeptWriter {
  readonly writer: OpenWriter;
  /** Aborted when somebody takes or ends it. */
  readonly taken: AbortController;
  ended?: Promise<void>;
}

/**
 * Writers that stay open for some time after a change batch, so that the next one does not open the
 * index again, and merges run on beside batches. Every other writer of this process ends a kept one
 * first. Its lock is held: writers of other processes are refused.
 */
export class KeptWriters {
  readonly #clock: Clock;
  readonly #ms: number;
  /** By uuid of the index. */
  readonly #kept = new Map<string, KeptWriter>();

  /** `ms`: how long they stay open; 0: none is kept. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** False: writers are closed after each batch. */
  get enabled(): boolean {
    return this.#ms > 0;
  }

  /** True while a writer of the index is kept. */
  has(uuid: string): boolean {
    return this.#kept.has(uuid);
  }

  /** Takes a writer of this version of the definition; the caller keeps or closes it. */
  take(uuid: string, version: number): OpenWriter | undefined {
    const kept = this.#kept.get(uuid);
    if (kept === undefined || kept.ended !== undefined) return;
    if (kept.writer.locked.definitionVersion !== version) return;
    kept.taken.abort();
    this.#kept.delete(uuid);
    return kept.writer;
  }

  /** Keeps a writer for the next batch of its index. */
  keep(uuid: string, writer: OpenWriter): void {
    const kept: KeptWriter = { writer, taken: new AbortController() };
    this.#kept.set(uuid, kept);
    void this.#endWhenIdle(uuid, kept);
  }

  /** Closes the writer of an index that is kept, if there is one. */
  async end(uuid: string): Promise<void> {
    const kept = this.#kept.get(uuid);
    if (kept === undefined) return;
    kept.taken.abort();
    kept.ended ??= closeWriter(kept.writer).finally(() => this.#kept.delete(uuid));
    await kept.ended;
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((uuid) => this.end(uuid)));
  }

  /** Takes in the merges that the last batches left, then waits for the next batch. */
  async #endWhenIdle(uuid: string, { writer, taken: { signal } }: KeptWriter): Promise<void> {
    try {
      for (let merging = writer.session.merging; merging !== null; ) {
        await merging;
        if (signal.aborted) return;
        await writer.session.takeMerges();
        merging = writer.session.merging;
      }
      await this.#clock.sleep(this.#ms, signal);
    } catch (error) {
      // The writer refuses further work, so the next batch opens the index again.
      if (!(error instanceof LhsError)) throw error;
    }
    if (!signal.aborted) await this.end(uuid);
  }
}

/** Closes a writer and gives its lock back. */
export async function closeWriter({ session, unlock }: OpenWriter): Promise<void> {
  try {
    await session.close();
  } finally {
    unlock();
  }
}
