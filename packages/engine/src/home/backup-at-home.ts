import { inStore } from '../source/store-errors.ts';
import { commitContents } from './backup-contents.ts';
import {
  type BackupOptions,
  backupIndex,
  type FinishedBackup,
  type IndexToBackUp,
  manifestOf,
  readAgain,
} from './backup-index.ts';
import { backupKey, digestOf, writeBackupPin } from './backups.ts';
import { lastCommit } from './chain.ts';
import type { BackupManifest } from './manifest.ts';
import { type CommitToCopy, hotForm, pinForCopy, sealedFiles } from './pinned-commit.ts';
import { isNewest } from './pins.ts';
import type { Home } from './stored-json.ts';
import { readPublication } from './writing/publication.ts';

/** So often another process may commit meanwhile. */
const ATTEMPTS = 5;

/**
 * Backs up an index whose commits are in this repository: pins the newest. Nothing is copied, and
 * embedding caches are left out. If the newest is not the one that is in force here, the index is
 * copied. Throws as `backupIndex`.
 */
export async function backupAtHome(
  index: IndexToBackUp,
  home: Home,
  options: BackupOptions,
): Promise<FinishedBackup> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pinned = pinForCopy(index);
    try {
      const manifest = await inStore(() => pinPublished(index, home, pinned, options));
      if (manifest !== null) return { manifest, filesCopied: 0, bytesCopied: 0 };
    } finally {
      pinned.release();
    }
  }
  return backupIndex(index, home, options);
}

/** Null if the newest commit in the repository is another one, or was replaced meanwhile. */
async function pinPublished(
  index: IndexToBackUp,
  home: Home,
  pinned: CommitToCopy,
  options: BackupOptions,
): Promise<BackupManifest | null> {
  const { family } = readPublication(index, home.place);
  const newest = await lastCommit(home, family, options.signal);
  const isHere = newest?.generation === pinned.generation && newest.commit === pinned.commit.number;
  if (!isHere) return null;
  const hot = hotForm(pinned);
  const seals = [...sealedFiles(hot.commit).values()];
  const bytes = seals.reduce((sum, { length }) => sum + length, hot.bytes.length);
  const { number, attempt } = newest;
  const stored = { file_count: seals.length + 1, bytes, family, number, attempt };
  const manifest = manifestOf(index, pinned, { ...stored, sha256: digestOf(newest) });
  if (options.verify) {
    await readAgain(await commitContents(home, newest, options.signal), bytes, options);
  }
  await writeBackupPin(home, manifest, options.key);
  if (await isNewest(home, newest)) return manifest;
  await home.store.delete([backupKey(manifest)]);
  return null;
}
