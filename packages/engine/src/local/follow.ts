import type { CallContext, FollowEvent, FollowRequest } from '@lakehouse-search/contract';
import { checkFollowRequest } from '@lakehouse-search/contract';
import { readCommit } from '../index/commit.ts';
import { currentGeneration } from '../open/index-folder.ts';
import { commitVersion, type KnownIndex } from '../open/open-index.ts';
import { windowName } from '../schema/windows.ts';
import { openSource } from '../source/source-table.ts';
import { type FollowedIndex, followIndex } from '../sync/follow-index.ts';
import { FormerSessions } from '../sync/former-sessions.ts';
import { liveGeneration, openSession } from '../sync/open-session.ts';
import { movesOf } from '../tier/tier-policy.ts';
import { accessible } from './caller.ts';
import type { LocalJobs } from './jobs.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { isCuttingOver, lockedGeneration, lockForWriting, unlock } from './write-index.ts';

/** Follows an index of this machine; see `followIndex`. */
export async function* followLocal(
  indexes: LocalIndexes,
  request: FollowRequest,
  call: CallContext,
  jobs: () => Promise<Pick<LocalJobs, 'run'>>,
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
    tiers: {
      due: (known: KnownIndex) => windowToCool(indexes, known),
      cool: async ({ registered }: KnownIndex, window: string, signal: AbortSignal) => {
        const request = { index: registered.name, cool: [window] };
        return (await jobs()).run('move_windows', request, { ...call, signal });
      },
    },
    rebuild: async ({ registered }: KnownIndex, signal: AbortSignal) => {
      const request = { index: registered.name };
      return (await jobs()).run('reindex', request, { ...call, signal });
    },
    mustYield: ({ registered }: KnownIndex) => isCuttingOver(indexes, registered),
  };
  yield* followIndex(host, call, poll_ms);
}

/** The oldest window that is wholly hot and that the definition wants cold; null: none. */
function windowToCool(
  { openDirectory, clock }: LocalIndexes,
  { definition, folder }: KnownIndex,
): string | null {
  const { windows, storage } = definition;
  const live = currentGeneration(folder);
  if (windows?.hot === undefined || storage === undefined || live === null) return null;
  const { segments = [], windows: layout } = readCommit(openDirectory(live.path)) ?? {};
  if (layout === undefined) return null;
  const hasCold = new Set(
    segments.flatMap(({ cold, window }) => (cold === undefined ? [] : [window])),
  );
  const { cool } = movesOf(segments, windows.hot, clock.now());
  const oldest = cool.find((start) => !hasCold.has(start));
  return oldest === undefined ? null : windowName(oldest, layout.every);
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
