import { commitContents } from '../home/backup-contents.ts';
import type { BundleRef } from '../home/bundle.ts';
import { bundleKey, lastCommit, type PublishedCommit, readCommitAt } from '../home/chain.ts';
import { branchPins, readPin } from '../home/pins.ts';
import type { Home } from '../home/stored-json.ts';
import { inStore } from '../source/store-errors.ts';
import { type BackupSearch, searchContents } from './search-backups.ts';

/** What a search looks for, and what it finds. */
export type KeySearch = Pick<BackupSearch, 'keys' | 'findings' | 'signal'>;

/** Searches the commit and the key files of one bundle of a commit. Throws corrupt_index. */
export async function searchBundle(
  home: Home,
  commit: PublishedCommit,
  bundle: BundleRef,
  { keys, signal }: KeySearch,
  add: (key: number | null, detail: string) => void,
): Promise<void> {
  const only = { ...commit, bundles: [bundle], files: {} };
  await searchContents(await commitContents(home, only, signal), { keys, signal }, add);
}

/**
 * Searches the bundles that commits have which an index keeps for its branches, but for those of
 * its newest one. Throws corrupt_index, and as `inStore`.
 */
export async function searchPinned(
  home: Home,
  family: string,
  newest: PublishedCommit | null,
  search: KeySearch,
): Promise<void> {
  const own = new Set(newest?.bundles.map((bundle) => bundleKey(family, bundle)));
  for (const { commit, branch } of await inStore(() => pinnedForBranches(home, family, search))) {
    for (const bundle of commit.bundles) {
      const key = bundleKey(family, bundle);
      if (own.has(key)) continue;
      const where = `${home.place}/${key}`;
      const add = (found: number | null, what: string) => {
        const detail = `${what}, kept for branch "${branch}": erase it there, too`;
        search.findings.add({
          place: 'published_commit',
          key: found,
          where,
          detail,
          goes: 'erase',
        });
      };
      await searchBundle(home, commit, bundle, search, add);
    }
  }
}

/** The commits that an index keeps for its branches, with their names. */
async function pinnedForBranches(home: Home, family: string, { signal }: KeySearch) {
  const found: { readonly commit: PublishedCommit; readonly branch: string }[] = [];
  for (const { key, branch: uuid } of await branchPins(home, family, signal)) {
    const pin = await readPin(home, key, signal);
    const commit = pin === null ? null : await readCommitAt(home, family, pin.number, signal);
    if (commit === null) continue;
    found.push({ commit, branch: (await lastCommit(home, uuid, signal))?.index ?? uuid });
  }
  return found;
}
