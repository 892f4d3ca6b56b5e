import {
  type CallContext,
  type DiffRequest,
  type DiffResponse,
  LhsError,
} from '@lakehouse-search/contract';
import { checkBenchRequest, checkCall } from '@lakehouse-search/contract/internal';
import { SYSTEM_CLOCK } from '../base/time/clock.ts';
import { refuseTenants, requireWanted, whileWanted } from '../local/caller.ts';
import { atOneTime, contextRead, READS } from '../search/reads.ts';
import type { OpenDiff } from './diff-remote.ts';
import { type RemoteIndex, remoteContext } from './remote-commit.ts';

const REMOTE = Object.freeze({
  ...READS,
  bench: contextRead(
    checkBenchRequest,
    async () => (await import('../search/bench.ts')).benchShards,
  ),
});

/** A read that a coordinator answers from remote shards. */
export type RemoteRead = keyof typeof REMOTE;

/** The names of the reads that a coordinator answers. */
export const REMOTE_READS = Object.freeze(Object.keys(REMOTE) as RemoteRead[]);

/** Reads that concern all rows. */
const CLOSED: ReadonlySet<RemoteRead> = new Set<RemoteRead>(['bench']);

/** Which index is read, as far as a request says it. */
export interface RemoteTarget {
  readonly index?: string;
  readonly pit_id?: string;
  readonly min_snapshot?: string;
  readonly wait_ms?: number;
}

/** How a coordinator reaches the nodes of an index; both throw what refuses the call. */
export interface RemoteReads {
  /** Runs a read once more if it fails because something has changed on the nodes. */
  readonly upToDate: <T>(read: () => Promise<T>) => Promise<T>;
  /** The answer of a node that has all shards; undefined: no node answers for all of them. */
  readonly whole: (
    name: RemoteRead,
    request: RemoteTarget,
    call: CallContext,
  ) => Promise<object | undefined>;
  /** Opens the shards of an index for one read of a call. */
  readonly open: (
    target: RemoteTarget,
    call: CallContext,
    name: RemoteRead,
  ) => Promise<RemoteIndex>;
}

const PAUSE_MS = 50;

/**
 * Answers a read of the contract over nodes, by one that has all shards, or from the shards of
 * several: checks the request, and waits for the snapshot that the request demands. Throws as the
 * read of the embedded engine.
 */
export async function readRemotely(
  name: RemoteRead,
  request: unknown,
  context: CallContext | undefined,
  { upToDate, whole, open }: RemoteReads,
): Promise<unknown> {
  const call = checkCall(context);
  if (CLOSED.has(name)) refuseTenants(call, name);
  const clock = SYSTEM_CLOCK;
  return whileWanted(call, clock, async () => {
    const timed = atOneTime(request, clock.now());
    const { check, load } = REMOTE[name] as Read;
    const checked = check(timed);
    const target = (timed ?? {}) as RemoteTarget;
    const once = async () => {
      const found = await whole(name, target, call);
      if (found !== undefined) return found;
      const answer = await load();
      requireWanted(call, clock);
      return answer(remoteContext(await open(target, call, name), call), checked);
    };
    const attempt = () => upToDate(once);
    return target.min_snapshot === undefined ? attempt() : untilReached(attempt, target, call);
  });
}

/** Compares the hits of a search at two moments, over nodes. Throws as a diff in one process. */
export async function diffRemotely(
  request: DiffRequest,
  call: CallContext | undefined,
  open: OpenDiff,
): Promise<DiffResponse> {
  const { compareRemotely } = await import('./diff-remote.ts');
  return compareRemotely(request, call, open);
}

interface Read {
  readonly check: (request: unknown) => unknown;
  readonly load: () => Promise<(context: unknown, checked: unknown) => unknown>;
}

async function untilReached(
  attempt: () => Promise<unknown>,
  { wait_ms = 0 }: RemoteTarget,
  call: CallContext,
): Promise<unknown> {
  const until = performance.now() + wait_ms;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const early = error instanceof LhsError && error.code === 'snapshot_not_reached';
      const left = until - performance.now();
      if (!early || left <= 0) throw error;
      await SYSTEM_CLOCK.sleep(Math.min(PAUSE_MS, left), call.signal);
      requireWanted(call, SYSTEM_CLOCK);
    }
  }
}
