import type { ObjectInfo } from '@lakehouse-search/lake/internal';
import {
  type BranchOrigin,
  bundlePrefix,
  commitKey,
  commitPrefix,
  type FormerCommit,
  hasCommits,
  isDropped,
  lastCommit,
  MOST_FORMER,
  type PublishedCommit,
  plannedMs,
  readHead,
} from './chain.ts';
import { branchPins, type CommitPin, pinKey, pinnedCommits } from './pins.ts';
import { ENDED, type Home } from './stored-json.ts';

/** Objects that a sweep deleted. */
export interface Swept {
  readonly files: number;
  readonly bytes: number;
}

/** So long a replaced commit stays for those who read it. */
const RETENTION_MS = 3_600_000;

/** So long after its plan a build may be committed; what its tasks uploaded stays an hour longer. */
export const BUILD_MS = 7 * 86_400_000;

/** What the next commit says of its predecessors: those that a sweep leaves alone. */
export function formerOf(
  { number, bundles, former }: PublishedCommit,
  next: Pick<PublishedCommit, 'bundles'>,
  now: number,
): readonly FormerCommit[] {
  const named = new Set(next.bundles.map(({ object }) => object));
  const dropped = bundles.flatMap(({ object }) => (named.has(object) ? [] : [object]));
  return [...young(former, now), { number, replaced_ms: now, dropped }].slice(-MOST_FORMER);
}

/** Whether it is time for a sweep: about once per hour, at once after many commits. */
export const isSweepDue = ({ former }: PublishedCommit, now: number): boolean =>
  former.length === MOST_FORMER || young(former, now - RETENTION_MS).length < former.length;

const young = (former: readonly FormerCommit[], now: number): readonly FormerCommit[] =>
  former.filter(({ replaced_ms }) => replaced_ms > now - RETENTION_MS);

/**
 * Deletes the objects of an index that nobody needs: those that neither the newest commit, nor a
 * pinned one, nor one that was replaced less than an hour ago names. What is uploaded for a commit
 * after `newest` stays, and for a build that may still be committed. The name of the index leads to
 * `newest`, or to nothing if it is null: then the index was dropped. The pin of a branch goes once
 * the branch needs no bundle of its index.
 */
export async function sweepFamily(
  home: Home,
  uuid: string,
  newest: PublishedCommit | null,
  signal?: AbortSignal,
): Promise<Swept> {
  await removeVoidPins(home, uuid, signal);
  const { unneeded, origin } = await sweepable(home, uuid, newest, signal);
  // first the pin, which the last commit names
  if (origin !== undefined) await removePin(home, { uuid: origin.uuid, name: origin.pin });
  await home.store.delete(
    unneeded.map(({ key }) => key),
    signal,
  );
  return { files: unneeded.length, bytes: unneeded.reduce((sum, { size }) => sum + size, 0) };
}

/**
 * Removes the pins of branches without a commit: who made them was stopped. From here on the store
 * refuses their first commit.
 */
async function removeVoidPins(home: Home, uuid: string, signal?: AbortSignal): Promise<void> {
  for (const { key, branch } of await branchPins(home, uuid, signal)) {
    if (await hasCommits(home, branch)) continue;
    await home.store.put(commitKey(branch, 1), ENDED, { condition: 'absent' });
    if (!(await hasCommits(home, branch))) await home.store.delete([key]);
  }
}

/** What a sweep deletes: objects, and the pin of a branch. */
export async function sweepable(
  home: Home,
  uuid: string,
  newest: PublishedCommit | null,
  signal?: AbortSignal,
): Promise<{
  readonly unneeded: readonly ObjectInfo[];
  readonly origin?: BranchOrigin | undefined;
}> {
  const kept = newest === null ? NOTHING : neededBy(newest);
  const commits = new Set(kept.commits);
  const bundles = new Set(kept.bundles);
  // pins are listed after the newest commit was written (pins.ts)
  for (const pinned of await pinnedCommits(home, uuid, signal)) {
    commits.add(pinned.number);
    for (const { object } of pinned.bundles) bundles.add(object);
  }
  const { branch_of } = newest ?? (await lastCommit(home, uuid, signal)) ?? {};
  const last = newest?.number ?? Number.POSITIVE_INFINITY;
  // after an erasure no former commit is named: builds have the erased rows, too
  const writtenMs = newest?.former.at(-1)?.replaced_ms ?? Number.POSITIVE_INFINITY;
  const isOver = (number: number): boolean => {
    const planned = plannedMs(number);
    if (planned === null || newest === null) return number <= last;
    return planned < writtenMs - BUILD_MS - RETENTION_MS;
  };
  const unneeded: ObjectInfo[] = [];
  const look = async (prefix: string, isKept: (name: string) => boolean) => {
    for await (const object of home.store.list(prefix, { signal })) {
      const name = object.key.slice(prefix.length);
      if (!isKept(name) && isOver(Number.parseInt(name, 10))) unneeded.push(object);
    }
  };
  // commits first: none may name a bundle that is gone
  await look(commitPrefix(uuid), (name) => commits.has(Number(name)));
  await look(bundlePrefix(uuid), (name) => bundles.delete(name));
  // the bundles that are left are those of the index of which this is a branch
  return { unneeded, origin: bundles.size > 0 ? undefined : branch_of };
}

const NOTHING = { commits: [], bundles: [] };

/** Numbers of commits and names of bundles. */
const neededBy = ({ number, bundles, former }: PublishedCommit) => ({
  commits: [number, ...former.map((one) => one.number)],
  bundles: [...bundles.map(({ object }) => object), ...former.flatMap(({ dropped }) => dropped)],
});

/** Removes a pin and what only it kept, unless a later commit of its index is being published. */
export async function removePin(home: Home, pin: Pick<CommitPin, 'uuid' | 'name'>): Promise<void> {
  await home.store.delete([pinKey(pin)]);
  if (await isDropped(home, pin.uuid)) return void (await sweepFamily(home, pin.uuid, null));
  const last = await lastCommit(home, pin.uuid);
  const head = last === null ? null : await readHead(home, last.index);
  const isNewest = head?.uuid === pin.uuid && head.number === last?.number;
  if (isNewest) await sweepFamily(home, pin.uuid, last);
}
