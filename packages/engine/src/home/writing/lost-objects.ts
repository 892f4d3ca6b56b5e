import { type CallContext, LhsError } from '@lakehouse-search/contract';
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

/** How a store is examined: by the sizes of its objects, or by all of their bytes. */
export type Examination = 'sizes' | 'bytes';

/**
 * Keys of the objects of a published commit that its store has lost or that are damaged there. By
 * sizes: one listing and one read. Throws interrupted, and as `inStore`.
 */
export async function lostObjects(
  home: Home,
  commit: PublishedCommit,
  by: Examination,
  { signal }: CallContext,
): Promise<ReadonlySet<string>> {
  const { uuid, number, attempt, bundles } = commit;
  const lost = new Set<string>();
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

/** As `lostObjects`, of the newest commit of an index of which a former one may be known. */
export async function lostOfNewest(
  home: Home,
  known: PublishedCommit,
  by: Examination,
  call: CallContext,
): Promise<ReadonlySet<string>> {
  const head = await readHead(home, known.index, call.signal);
  if (head === null) return new Set([headKey(known.index)]);
  const isLater = head.uuid === known.uuid && head.number > known.number;
  const newest = isLater ? await readCommitAt(home, head.uuid, head.number, call.signal) : known;
  return newest === null
    ? new Set([commitKey(head.uuid, head.number)])
    : lostObjects(home, newest, by, call);
}

/** Reads all files of a bundle; true. Throws corrupt_index. */
async function isRead(home: Home, bundle: StoredBundle, signal: AbortSignal | undefined) {
  for (const file of await readBundleFiles(home, bundle, signal)) {
    for await (const _ of readBundleFile(home, bundle, file, signal));
  }
  return true;
}

/** False if an object is damaged, or is removed while it is read. */
async function isSound(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof LhsError && /^(corrupt_index|index_busy)$/.test(error.code)) return false;
    throw error;
  }
}
