import type { CallContext, FollowEvent, FollowRequest } from '@lakehouse-search/contract';
import { checkFollowRequest } from '@lakehouse-search/contract';
import { commitVersion, type KnownIndex } from '../open/open-index.ts';
import { openSource } from '../source/source-table.ts';
import { type FollowedIndex, followIndex } from '../sync/follow-index.ts';
import { FormerSessions } from '../sync/former-sessions.ts';
import { liveGeneration, openSession } from '../sync/open-session.ts';
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
    const live = openSession(locked, liveGeneration(locked));
    const former = new FormerSessions(locked);
    const session: FollowedIndex['session'] = {
      async catchUp(table, target, work) {
        const done = await live.catchUp(table, target, work);
        await former.follow(table, live.commit.checkpoint, work?.signal);
        return done;
      },
      get merging() {
        return live.merging;
      },
      takeMerges: () => live.takeMerges(),
      takeMergeFault: () => live.takeMergeFault(),
    };
    const close = () => former.close().finally(() => live.close());
    return { session, close: () => close().finally(letGo) };
  } catch (error) {
    letGo();
    throw error;
  }
}
