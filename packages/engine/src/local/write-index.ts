import { setTimeout } from 'node:timers/promises';
import type { SourceTable } from '@lakehouse-search/lake';
import { LhsError } from '../base/errors.ts';
import type { LockedIndex } from '../ingest/build-generation.ts';
import { type IndexLock, indexFolder, takeLock } from '../registry/index-folder.ts';
import type { KnownIndex } from '../registry/open-indexes.ts';
import type { RegisteredIndex } from '../registry/registry.ts';
import type { LocalIndexes } from './local-indexes.ts';

const LOCK_ATTEMPTS = 10;
const LOCK_WAIT_MS = 50;

/** Runs `work` with the index locked and its table open; adds the time it took. */
export async function writeIndex<T>(
  indexes: LocalIndexes,
  name: string | undefined,
  what: string,
  work: (locked: LockedIndex, known: KnownIndex) => Promise<T>,
): Promise<T & { took_ms: number }> {
  const started = performance.now();
  const known = indexes.resolve(name);
  const lock = await lockForWriting(indexes, known.registered, what);
  let table: SourceTable | undefined;
  try {
    table = await openTableOf(known);
    const answer = await work(lockedIndex(indexes, known, table, lock), known);
    return { ...answer, took_ms: Math.round(performance.now() - started) };
  } finally {
    unlock(indexes, known.registered, lock);
    await table?.close();
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
  { openDirectory, openEmbedder }: LocalIndexes,
  { folder, definition, registered }: KnownIndex,
  lock: IndexLock,
): Omit<LockedIndex, 'table'> {
  const { version: definitionVersion, baseDir } = registered;
  return { folder, definition, definitionVersion, lock, openDirectory, baseDir, openEmbedder };
}

/** The table of an index at its newest version. Throws as `openSource` does. */
export async function openTableOf({ definition, registered }: KnownIndex): Promise<SourceTable> {
  const { openSource } = await import('../ingest/source-table.ts');
  return openSource(definition.source, registered.baseDir);
}

/**
 * The write lock of an index. A reader that sweeps holds it for a moment: that is waited for.
 * Throws index_busy while somebody builds or syncs.
 */
export async function lockForWriting(
  { dataDir, writing }: LocalIndexes,
  { uuid, name }: RegisteredIndex,
  what: string,
): Promise<IndexLock> {
  for (let attempt = 1; !writing.has(uuid); attempt++) {
    try {
      const lock = takeLock(indexFolder(dataDir, uuid), name, what);
      writing.add(uuid);
      return lock;
    } catch (error) {
      const busy = error instanceof LhsError && error.code === 'index_busy';
      if (!busy || attempt === LOCK_ATTEMPTS) throw error;
      await setTimeout(LOCK_WAIT_MS);
    }
  }
  const message = `cannot ${what} "${name}": another reindex or sync of it is running`;
  throw new LhsError('index_busy', message, { hint: 'wait for it to end, then try again' });
}

/** Gives the write lock of an index back. */
export function unlock({ writing }: LocalIndexes, { uuid }: RegisteredIndex, lock: IndexLock) {
  writing.delete(uuid);
  lock.release();
}
