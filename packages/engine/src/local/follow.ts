import type { CallContext, FollowEvent, FollowRequest } from '@lakehouse-search/contract';
import { checkFollowRequest } from '@lakehouse-search/contract';
import { commitVersion, type KnownIndex } from '../open/open-index.ts';
import { openSource } from '../source/source-table.ts';
import { type FollowedIndex, followIndex } from '../sync/follow-index.ts';
import { liveGeneration, openSession } from '../sync/follow-table.ts';
import { accessible } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { isCuttingOver, lockedGeneration, lockForWriting, unlock } from './write-index.ts';

/** Follows an index of this machine; see `followIndex`. */
export async function* followLocal(
  indexes: LocalIndexes,
  request: FollowRequest,
  call: CallContext,
): AsyncGenerator<FollowEvent> {
  const { index, poll_ms } = checkFollowRequest(request);
  const { name } = accessible(indexes, index, call).registered;
  const host = {
    clock: indexes.clock,
    known: () => indexes.known(name),
    commitVersion: ({ folder }: KnownIndex) => commitVersion(folder),
    openTable: ({ definition, registered }: KnownIndex, signal: AbortSignal) =>
      openSource(definition.source, registered.baseDir, signal),
    open: (known: KnownIndex) => openFollowed(indexes, known),
    mustYield: ({ registered }: KnownIndex) => isCuttingOver(indexes, registered),
  };
  yield* followIndex(host, call, poll_ms);
}

async function openFollowed(indexes: LocalIndexes, known: KnownIndex): Promise<FollowedIndex> {
  const lock = await lockForWriting(indexes, known.registered, { what: 'follow', waitMs: 0 });
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
