import type { CallContext } from '@lakehouse-search/contract';
import { lostBundles } from '../backup-contents.ts';
import { readBundleFile, readBundleFiles, type StoredBundle } from '../bundle-files.ts';
import {
  bundleKey,
  commitKey,
  headKey,
  type PublishedCommit,
  readCommitAt,
  readHead,
} from '../chain.ts';
import type { Home } from '../stored-json.ts';
import { ifSound } from './if-sound.ts';
import { takenThere } from './overtaken.ts';
import { lostSmall } from './small-objects.ts';

/** How a store is examined: by the sizes of its objects, or by all of their bytes. */
export type Examination = 'sizes' | 'bytes';

/**
 * Keys of the objects of a published commit that its store has lost or that are damaged there. By
 * sizes: one listing and a few reads. Throws interrupted, and as `inStore`.
 */
export async function lostObjects(
  home: Home,
  commit: PublishedCommit,
  by: Examination,
  { signal }: CallContext,
): Promise<ReadonlySet<string>> {
  const { uuid, number, attempt, bundles } = commit;
  const lost = new Set(await lostSmall(home, commit, signal));
  const isThere = async () => (await readCommitAt(home, uuid, number, signal))?.attempt === attempt;
  if (!(await isSound(isThere))) lost.add(commitKey(uuid, number));
  for (const bundle of (await lostBundles(home, commit, signal)).keys()) {
    lost.add(bundleKey(uuid, bundle));
  }
  for (const ref of by === 'bytes' ? bundles : []) {
    const key = bundleKey(uuid, ref);
    if (!lost.has(key) && !(await isSound(() => isRead(home, { uuid, ref }, signal))))
      lost.add(key);
  }
  return lost;
}

/**
 * Reads the name of an index that has published nothing. Throws already_exists if another one has
 * it, and as `inStore`.
 */
export async function lookForOther(home: Home, index: string, uuid: string, call: CallContext) {
  const head = await readHead(home, index, call.signal);
  if (head !== null && head.uuid !== uuid) throw takenThere(index, home.place);
}

/** As `lostObjects`, of the newest commit of an index of which a former one may be known. */
export async function lostOfNewest(
  home: Home,
  known: PublishedCommit,
  by: Examination,
  call: CallContext,
): Promise<ReadonlySet<string>> {
  const head = await ifSound(() => readHead(home, known.index, call.signal));
  if (head === null) return new Set([headKey(known.index)]);
  const { uuid, number } = head;
  const isLater = uuid === known.uuid && number > known.number;
  const later = () => readCommitAt(home, uuid, number, call.signal);
  const newest = isLater ? await ifSound(later) : known;
  return newest === null ? new Set([commitKey(uuid, number)]) : lostObjects(home, newest, by, call);
}

/** Reads all files of a bundle; true. Throws corrupt_index. */
async function isRead(home: Home, bundle: StoredBundle, signal: AbortSignal | undefined) {
  for (const file of await readBundleFiles(home, bundle, signal)) {
    for await (const _ of readBundleFile(home, bundle, file, signal));
  }
  return true;
}

const isSound = async (look: () => Promise<boolean>): Promise<boolean> =>
  (await ifSound(look)) === true;
