/** The objects beside commits and bundles: the mark of a place, names, and pins of branches. */
import {
  bundleKey,
  headKey,
  lastCommit,
  type PublishedCommit,
  readHead,
  replacedCommits,
} from '../chain.ts';
import { type CommitPin, pinKey, readPin, writePin } from '../pins.ts';
import { isRepository, MARK, markHome } from '../repository.ts';
import type { Home } from '../stored-json.ts';
import { ifSound } from './if-sound.ts';

/** A commit of which the small objects are looked for. */
type Written = Pick<PublishedCommit, 'uuid' | 'index' | 'bundles' | 'branch_of'>;

/** Keys of the bundles that a branch has of other indexes. */
const sharedBundles = ({ uuid, bundles }: Written): readonly string[] =>
  bundles.filter(({ family }) => family !== undefined).map((bundle) => bundleKey(uuid, bundle));

/** The pin that a branch needs; null: it needs none, or no longer. */
function neededPin(commit: Written): Pick<CommitPin, 'uuid' | 'name'> | null {
  const { branch_of: origin } = commit;
  const isNeeded = origin !== undefined && sharedBundles(commit).length > 0;
  return isNeeded ? { uuid: origin.uuid, name: origin.pin } : null;
}

/** Who reads each of them, by key; its answer for one that is not there is false or null. */
function readersOf(
  home: Home,
  commit: Written,
  signal: AbortSignal | undefined,
): readonly (readonly [key: string, read: () => Promise<unknown>])[] {
  const { index } = commit;
  const pin = neededPin(commit);
  return [
    [MARK, () => isRepository(home, signal)],
    [headKey(index), () => readHead(home, index, signal)],
    ...(pin === null ? [] : [[pinKey(pin), () => readPin(home, pinKey(pin), signal)] as const]),
  ];
}

/** Whether a key is of one of them. */
export const isSmall = (key: string): boolean => !key.startsWith('families/');

/** Keys of those that are lost or damaged. Throws as `inStore`. */
export async function lostSmall(
  home: Home,
  commit: Written,
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
  const pin = neededPin(commit);
  if (pin !== null && lost.includes(pinKey(pin))) await pinAgain(home, commit, { ...pin, now });
}

/** Pins the newest commit of the index of a branch that has all which the branch shares with it. */
async function pinAgain(
  home: Home,
  branch: Written,
  pin: Pick<CommitPin, 'uuid' | 'name'> & { readonly now: number },
): Promise<void> {
  const last = await lastCommit(home, pin.uuid);
  const commits = [...(last === null ? [] : [last]), ...(await replacedCommits(home, pin.uuid))];
  const commit = commits.find(({ uuid, bundles }) => {
    const keys = new Set(bundles.map((bundle) => bundleKey(uuid, bundle)));
    return sharedBundles(branch).every((key) => keys.has(key));
  });
  if (commit !== undefined) await writePin(home, commit, pin);
}
