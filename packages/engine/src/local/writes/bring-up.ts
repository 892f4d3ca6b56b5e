import type { KnownIndex } from '../../open/open-index.ts';
import { homePlace } from '../../schema/parse/resolve-definition.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { lockForWriting, unlock } from './write-index.ts';

/**
 * Brings an index to the newest commit in its store, if it has one, and tries to write there.
 * `byTasks`: tasks will do so, too; returns the UUID of the index there. Throws as
 * `lockForWriting`.
 */
export async function bringUp(
  indexes: LocalIndexes,
  known: KnownIndex,
  signal: AbortSignal | undefined,
  byTasks = false,
): Promise<string | null> {
  if (homePlace(known.definition, known.registered.baseDir) === null) return null;
  // an alteration builds under a definition that is not registered yet
  const registered = indexes.registry.at(known.registered.uuid) ?? known.registered;
  const turn = { what: 'reindex', signal, waitMs: Number.POSITIVE_INFINITY };
  const lock = await lockForWriting(indexes, registered, turn);
  try {
    await lock.home?.tryWrite();
    return (byTasks && (await lock.home?.beginTasks())) || null;
  } finally {
    unlock(indexes, registered, lock);
  }
}
