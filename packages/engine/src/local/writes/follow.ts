import type { CallContext, FollowEvent, FollowRequest } from '@lakehouse-search/contract';
import { checkFollowRequest } from '@lakehouse-search/contract/internal';
import { movesOf } from '../../home/windows/tier-policy.ts';
import { readCommit } from '../../index/commits/commit.ts';
import { currentGeneration } from '../../open/index-folder.ts';
import { commitVersion, type KnownIndex } from '../../open/open-index.ts';
import { wasRenamed } from '../../registry/changed-meanwhile.ts';
import type { RegisteredIndex } from '../../registry/registry.ts';
import { windowName } from '../../schema/windows.ts';
import { openSource } from '../../source/source-table.ts';
import {
  type FollowedIndex,
  Follower,
  type FollowHost,
  POLL_MS,
} from '../../sync/follow/follow-index.ts';
import { FormerSessions } from '../../sync/follow/former-sessions.ts';
import { liveGeneration, openSession } from '../../sync/follow/open-session.ts';
import { SharedFollow } from '../../sync/follow/shared-follow.ts';
import { accessible } from '../caller.ts';
import type { LocalJobs } from '../jobs/jobs.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { settleAtHome } from './publish.ts';
import {
  isCuttingOver,
  lockedGeneration,
  lockForWriting,
  notedSync,
  notingFault,
  unlock,
} from './write-index.ts';

type RunJobs = () => Promise<Pick<LocalJobs, 'run'>>;

/** Follows an index of this machine: one follower of an engine works for all its callers. */
export async function* followLocal(
  indexes: LocalIndexes,
  request: FollowRequest,
  call: CallContext,
  jobs: RunJobs,
): AsyncGenerator<FollowEvent> {
  const { index, poll_ms = POLL_MS } = checkFollowRequest(request);
  const { registered } = accessible(indexes, index, call);
  const { followed, life } = indexes;
  const { signal = life.closing } = call;
  for (;;) {
    const shared = followed.get(registered.name) ?? beginFollowing(indexes, registered, jobs);
    if (!shared.isEnding) return yield* shared.read(poll_ms, signal);
    await shared.close();
  }
}

function beginFollowing(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  jobs: RunJobs,
): SharedFollow {
  const { name } = registered;
  const host = followHost(indexes, registered, jobs);
  const open = (pollMs: () => number) => new Follower(host, pollMs);
  const shared = new SharedFollow(open, () => indexes.followed.delete(name));
  indexes.followed.set(name, shared);
  return shared;
}

const followHost = (
  indexes: LocalIndexes,
  { name, uuid }: RegisteredIndex,
  jobs: RunJobs,
): FollowHost => ({
  clock: indexes.clock,
  known: () => {
    try {
      return indexes.known(name);
    } catch (error) {
      const now = indexes.registry.at(uuid);
      throw now === undefined || now.name === name ? error : wasRenamed(name, now.name);
    }
  },
  commitVersion: ({ folder }) => commitVersion(folder),
  openTable: ({ definition, registered }, signal) =>
    openSource(definition.source, registered.baseDir, signal),
  publishes: ({ definition }) => definition.storage !== undefined,
  open: (known) => notingFault(indexes, known, () => openFollowed(indexes, known)),
  tiers: {
    due: (known) => windowToCool(indexes, known),
    cool: async ({ registered }, window, signal) => {
      const request = { index: registered.name, cool: [window] };
      return (await jobs()).run('move_windows', request, { signal });
    },
  },
  rebuild: async ({ registered }, signal) => {
    const request = { index: registered.name };
    return (await jobs()).run('reindex', request, { signal });
  },
  mustYield: ({ registered }) => isCuttingOver(indexes, registered),
});

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
    await settleAtHome(indexes, known.registered, lock.home, {});
    const locked = lockedGeneration(indexes, known, lock);
    const live = openSession(locked, liveGeneration(locked));
    const former = new FormerSessions(locked);
    const session: FollowedIndex['session'] = {
      async catchUp(table, target, work) {
        const done = await notedSync(indexes, known, () => live.catchUp(table, target, work));
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
