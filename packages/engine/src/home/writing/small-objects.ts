/** The objects beside commits and bundles: the mark of a place, names, and pins of branches. */
import { headKey, lastCommit, type PublishedCommit, readHead, replacedCommits } from '../chain.ts';
import { pinKey, readPin, writePin } from '../pins.ts';
import { isRepository, MARK, markHome } from '../repository.ts';
import type { Home } from '../stored-json.ts';
import { ifSound } from './if-sound.ts';

/** Who reads each of them, by key; its answer for one that is not there is false or null. */
const readersOf = (
  home: Home,
  { index, branch_of: origin }: Pick<PublishedCommit, 'index' | 'branch_of'>,
  signal: AbortSignal | undefined,
): readonly (readonly [key: string, read: () => Promise<unknown>])[] => {
  const key = origin && pinKey({ uuid: origin.uuid, name: origin.pin });
  return [
    [MARK, () => isRepository(home, signal)],
    [headKey(index), () => readHead(home, index, signal)],
    ...(key === undefined ? [] : [[key, () => readPin(home, key, signal)] as const]),
  ];
};

/** Whether a key is of one of them. */
export const isSmall = (key: string): boolean => !key.startsWith('families/');

/** Keys of those that are lost or damaged. Throws as `inStore`. */
export async function lostSmall(
  home: Home,
  commit: Pick<PublishedCommit, 'index' | 'branch_of'>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [key, read] of readersOf(home, commit, signal)) {
    if (!(await ifSound(read))) lost.push(key);
  }
  return lost;
}

/**
 * Removes those that are damaged. Makes the mark and the pin again; a name that is not there is
 * written by `findNewest`. Throws as `inStore`.
 */
export async function restoreSmall(
  home: Home,
  commit: PublishedCommit,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  const lost = await lostSmall(home, commit, signal);
  await home.store.delete(lost, signal);
  if (lost.includes(MARK)) await markHome(home, signal);
  const { branch_of: origin } = commit;
  if (origin === undefined) return;
  const pin = { uuid: origin.uuid, name: origin.pin };
  if (lost.includes(pinKey(pin))) await pinAgain(home, commit, { ...pin, now });
}

/** Pins the newest commit of the index of a branch that has all which the branch needs of it. */
async function pinAgain(
  home: Home,
  { bundles }: PublishedCommit,
  pin: { readonly uuid: string; readonly name: string; readonly now: number },
): Promise<void> {
  const needed = bundles.flatMap(({ family, object }) => (family === pin.uuid ? [object] : []));
  const last = await lastCommit(home, pin.uuid);
  const commits = [...(last === null ? [] : [last]), ...(await replacedCommits(home, pin.uuid))];
  const has = (commit: PublishedCommit) => {
    const objects = new Set(commit.bundles.map(({ object }) => object));
    return needed.every((object) => objects.has(object));
  };
  const commit = commits.find(has);
  if (commit !== undefined) await writePin(home, commit, pin);
}
