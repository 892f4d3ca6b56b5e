import { existsSync } from 'node:fs';
import { LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { type IndexLock, indexFolder, takeLock } from '../open/index-folder.ts';
import type { KnownIndex } from '../open/open-index.ts';
import { type RegisteredIndex, wasDropped } from '../registry/registry.ts';
import { makeFolder } from '../storage/make-folder.ts';
import type { LockedIndex } from '../sync/build-generation.ts';
import type { LocalIndexes } from './local-indexes.ts';

const LOCK_ATTEMPTS = 10;
const LOCK_WAIT_MS = 50;

/**
 * Runs `work` with the index locked and its table open; adds the time it took. Until then `signal`
 * stops it.
 */
export function writeIndex<T>(
  indexes: LocalIndexes,
  known: KnownIndex,
  what: string,
  signal: AbortSignal | undefined,
  work: (locked: LockedIndex) => Promise<T>,
): Promise<T & { took_ms: number }> {
  return timed(async () => {
    let table: SourceTable | undefined;
    try {
      return await withLock(indexes, known.registered, what, async (lock) => {
        table = await openTableOf(known, signal);
        return work(lockedIndex(indexes, known, table, lock));
      });
    } finally {
      await table?.close();
    }
  });
}

/** An answer with the time that it took. */
export async function timed<T>(work: () => Promise<T>): Promise<T & { took_ms: number }> {
  const started = performance.now();
  const answer = await work();
  return { ...answer, took_ms: Math.round(performance.now() - started) };
}

/** Runs `work` with the index locked. Throws as `lockForWriting`. */
export async function withLock<T>(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  what: string,
  work: (lock: IndexLock) => Promise<T>,
): Promise<T> {
  const lock = await lockForWriting(indexes, registered, what);
  try {
    return await work(lock);
  } catch (error) {
    throw indexes.explained(registered, error);
  } finally {
    unlock(indexes, registered, lock);
  }
}

/** An index whose lock is held, with its table, as building and following take it. */
export function lockedIndex(
  indexes: LocalIndexes,
  known: KnownIndex,
  table: SourceTable,
  lock: IndexLock,
): LockedIndex {
  return { ...lockedGeneration(indexes, known, lock), table };
}

/** An index whose lock is held, without its table, as change batches are applied to. */
export function lockedGeneration(
  { openDirectory, openEmbedder, memoryBytes }: LocalIndexes,
  { folder, definition, registered }: KnownIndex,
  lock: IndexLock,
): Omit<LockedIndex, 'table'> {
  const { version: definitionVersion, baseDir } = registered;
  const opened = { openDirectory, openEmbedder, memoryBytes };
  return { folder, definition, definitionVersion, lock, baseDir, ...opened };
}

/** The table of an index at its newest version. Throws as `openSource` does. */
export async function openTableOf(
  { definition, registered }: KnownIndex,
  signal?: AbortSignal,
): Promise<SourceTable> {
  const { openSource } = await import('../source/source-table.ts');
  return openSource(definition.source, registered.baseDir, signal);
}

/**
 * The write lock of an index that is registered as long as it is held. A reader that sweeps holds
 * it for a moment: that is waited for. Throws index_busy while somebody builds or syncs,
 * index_not_found if the index was dropped meanwhile.
 */
export async function lockForWriting(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  what: string,
): Promise<IndexLock> {
  const { uuid, name } = registered;
  const { writing, clock } = indexes;
  for (let attempt = 1; !writing.has(uuid); attempt++) {
    try {
      const lock = lockRegistered(indexes, registered, what);
      writing.add(uuid);
      return lock;
    } catch (error) {
      const busy = error instanceof LhsError && error.code === 'index_busy';
      if (!busy || attempt === LOCK_ATTEMPTS) throw error;
      await clock.sleep(LOCK_WAIT_MS);
    }
  }
  throw alreadyWritten(what, name);
}

/** The error of work on an index that this process writes already. */
export function alreadyWritten(what: string, name: string): LhsError {
  const message = `cannot ${what} "${name}": another reindex or sync of it is running`;
  return new LhsError('index_busy', message, { hint: 'wait for it to end, then try again' });
}

/**
 * Takes the lock, then reads the registry again: only the lock's holder drops an index, so what is
 * registered now stays. The folder is made if it is missing, but never for an index that is gone.
 */
function lockRegistered(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  what: string,
): IndexLock {
  const { dataDir, registry } = indexes;
  const { uuid, name } = registered;
  const folder = indexFolder(dataDir, uuid);
  if (!existsSync(folder) && !registry.whileRegistered(uuid, () => makeFolder(folder))) {
    throw wasDropped(name);
  }
  const lock = indexes.during(registered, () => takeLock(folder, name, what));
  if (registry.has(uuid)) return lock;
  lock.release();
  throw wasDropped(name);
}

/** Gives the write lock of an index back. */
export function unlock({ writing }: LocalIndexes, { uuid }: RegisteredIndex, lock: IndexLock) {
  writing.delete(uuid);
  lock.release();
}
