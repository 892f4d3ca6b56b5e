import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import { LIMITS } from '../base/limits.ts';
import type { Clock } from '../base/time/clock.ts';
import { hasWorker, requireWorker } from '../base/worker-entry.ts';
import type { OpenEmbedder } from '../embed/embedder.ts';
import type { PublishedReader } from '../home/reading/published-reader.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import type { Definition } from '../schema/definition.ts';
import { SHARD_WORKER } from '../workers/entries.ts';
import type { SearchThreads } from '../workers/search-threads.ts';
import type { EngineMemory } from './cache/engine-memory.ts';
import type { LocalOptions } from './open-options.ts';

/** Options of an engine that only this project sets; tests replace the disk and the clock. */
export interface EngineOptions extends LocalOptions {
  /** Opens the folder of a generation. Default: files of this machine, mapped. */
  readonly openDirectory?: OpenDirectory;
  /** Default: this machine's. */
  readonly clock?: Clock;
  /**
   * Milliseconds for which a look at the registry and at the newest commit of an index holds,
   * unless this process changes them. For a data folder that no other process writes. Default: 0,
   * until the event loop turns.
   */
  readonly lookMs?: number;
  /**
   * Milliseconds that the writer of an index stays open after a change batch, for the next one. Its
   * lock is held as long, so no other process may write the data folder. Default: 0.
   */
  readonly keepWriterMs?: number;
  /** How memory is divided over caches, builds and threads. */
  readonly memory?: EngineMemory;
  /** The names of the indexes that are read at a place of published indexes. Default: all. */
  readonly only?: () => readonly string[];
  /** The location is a place of published indexes, which may have none yet. */
  readonly asPlace?: boolean;
  /** Brings published indexes, opened by location, to the data folder: nothing is written. */
  readonly reader?: PublishedReader;
  /**
   * Judges the definition of a backup that this data folder has not signed, its paths resolved:
   * throws to refuse it. Default: every definition is taken.
   */
  readonly admit?: (definition: Definition) => void | Promise<void>;
}

/**
 * The search threads of an engine; null: this thread searches. Calls end when `closing` is aborted.
 * Throws invalid_argument for a number of threads that cannot be, unsupported in a bundle without
 * the threads' program.
 */
export function searchThreads(
  { openDirectory, threads, memory }: EngineOptions,
  closing: AbortSignal,
): (() => Promise<SearchThreads>) | null {
  const count = threads ?? (openDirectory === undefined && hasWorker(SHARD_WORKER) ? 1 : 0);
  if (!Number.isInteger(count) || count < 0 || count > LIMITS.threads) {
    const message = `threads must be a whole number from 0 to ${LIMITS.threads}, not ${count}`;
    throw new LhsError('invalid_argument', message);
  }
  if (count === 0) return null;
  if (openDirectory !== undefined) {
    const message = `${count} threads cannot share a directory that only this thread can open`;
    throw new LhsError('invalid_argument', message, { hint: 'leave "openDirectory" away' });
  }
  requireWorker(SHARD_WORKER, 'a search thread');
  return lazily(async () => {
    const { SearchThreads } = await import('../workers/search-threads.ts');
    return new SearchThreads(count, closing, memory?.threadHeap);
  });
}

/** Throws not_found if there is no data folder and none is to be made. */
export function requireDataFolder(dataDir: string, { create = false }: LocalOptions): void {
  if (create || existsSync(dataDir)) return;
  throw new LhsError('not_found', `there is no data folder "${dataDir}"`, {
    hint: 'correct the path, or pass "create: true" to make a new one',
  });
}

/** Models of this machine; the data folder remembers which of their files were found whole. */
export function localModels(dataDir: string): OpenEmbedder {
  return async (model, from) => {
    const { openEmbedder } = await import('../embed/open-embedder.ts');
    return openEmbedder(model, { from, remembered: join(dataDir, 'models.verified') });
  };
}
