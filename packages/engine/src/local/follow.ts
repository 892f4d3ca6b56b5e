import type { FollowEvent, FollowOptions, IndexRequest } from '@lakehouse-search/contract';
import { checkIndexRequest } from '@lakehouse-search/contract';
import { commitVersion } from '../open/open-index.ts';
import type { KnownIndex } from '../open/open-indexes.ts';
import { openSource } from '../source/source-table.ts';
import { type FollowedIndex, followIndex } from '../sync/follow-index.ts';
import { liveGeneration, openSession } from '../sync/follow-table.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { lockedGeneration, lockForWriting, unlock } from './write-index.ts';

/** Follows an index of this machine; see `followIndex`. */
export async function* followLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  options: FollowOptions,
): AsyncGenerator<FollowEvent> {
  const { index } = checkIndexRequest(request);
  const { name } = indexes.resolve(index).registered;
  const host = {
    clock: indexes.clock,
    known: () => indexes.known(name),
    commitVersion: ({ folder }: KnownIndex) => commitVersion(folder),
    openTable: ({ definition, registered }: KnownIndex, signal: AbortSignal) =>
      openSource(definition.source, registered.baseDir, signal),
    open: (known: KnownIndex) => openFollowed(indexes, known),
  };
  yield* followIndex(host, options);
}

async function openFollowed(indexes: LocalIndexes, known: KnownIndex): Promise<FollowedIndex> {
  const lock = await lockForWriting(indexes, known.registered, 'follow');
  const letGo = () => unlock(indexes, known.registered, lock);
  try {
    const locked = lockedGeneration(indexes, known, lock);
    const session = openSession(locked, liveGeneration(locked));
    return { session, close: () => session.close().finally(letGo) };
  } catch (error) {
    letGo();
    throw error;
  }
}
