import { hash, type KeyObject } from 'node:crypto';
import { damaged, inStore } from '../source/store-errors.ts';
import { type PublishedCommit, readCommitAt } from './chain.ts';
import { type ChunkedFile, checkFormer } from './former-backups.ts';
import {
  BACKUP_LINES,
  type BackupHead,
  type BackupManifest,
  checkManifest,
  encodeLines,
  readLines,
  readManifestFields,
  type SignedValue,
  type SigningOptions,
} from './manifest.ts';
import { ENDED, type Home } from './stored-json.ts';

/** Keys of manifests: the id and the index; those of pins have the family before. */
const FORMER_KEY = /^backups\/([a-z0-9][a-z0-9_-]{0,127})\/(\d{8}T\d{9}Z-[0-9a-f]{8})\.json$/;
const PIN_KEY =
  /^pins\/([0-9a-f-]{36})\/(\d{8}T\d{9}Z-[0-9a-f]{8})\.([a-z0-9][a-z0-9_-]{0,127})\.json$/;
/** A backup by its key. */
export interface BackupName {
  readonly index: string;
  readonly id: string;
  readonly key: string;
  /** null: it is of the former format. */
  readonly family: string | null;
}

/** A backup that can be restored. */
export interface Backup {
  readonly head: BackupHead & Pick<BackupManifest, 'file_count' | 'bytes'>;
  /** Whether the reader's own key has signed it. */
  readonly isSigned: boolean;
  readonly contents:
    | { readonly kind: 'commit'; readonly commit: PublishedCommit }
    | { readonly kind: 'chunks'; readonly files: readonly ChunkedFile[] };
}

/** The key of the pin that is a backup. */
export const backupKey = ({ family, id, index }: BackupManifest): string =>
  `pins/${family}/${id}.${index}.json`;

/** The backup whose pin has this key; null: the pin is none. */
export function pinnedBackup(key: string): (BackupName & { readonly family: string }) | null {
  const [, family, id, index] = PIN_KEY.exec(key) ?? [];
  return index === undefined ? null : { family: family!, id: id!, index, key };
}

/**
 * The backups of a repository, newest first; of one index if it is named. Some may be none yet:
 * `readBackup` says it.
 */
export async function listBackups(
  { store }: Home,
  index?: string,
  signal?: AbortSignal,
): Promise<readonly BackupName[]> {
  const found: BackupName[] = [];
  await inStore(async () => {
    const former = index === undefined ? 'backups/' : `backups/${index}/`;
    for await (const { key, size } of store.list(former, { signal })) {
      const [, name, id] = FORMER_KEY.exec(key) ?? [];
      if (id !== undefined && size !== ENDED.length)
        found.push({ index: name!, id, key, family: null });
    }
    for await (const { key } of store.list('pins/', { signal })) {
      const pinned = pinnedBackup(key);
      if (pinned !== null && (index ?? pinned.index) === pinned.index) found.push(pinned);
    }
  });
  return found.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/**
 * Reads a backup. Null if it was deleted meanwhile, or its commit is not there. Throws
 * corrupt_index, unsupported.
 */
export async function readBackup(
  home: Home,
  name: BackupName,
  options: SigningOptions = {},
): Promise<Backup | null> {
  const path = `${home.place}/${name.key}`;
  if (name.family === null) {
    const lines = await linesOf(home, name, options);
    if (lines === null) return null;
    const { files, ...head } = requireOf(name, checkFormer(lines.value, path), path);
    const bytes = files.reduce((sum, { length }) => sum + length, 0);
    const contents = { kind: 'chunks', files } as const;
    const { isSigned } = lines;
    return { head: { ...head, file_count: files.length, bytes }, isSigned, contents };
  }
  const pin = await readBackupPin(home, name, options);
  if (pin === null) return null;
  const { value: head, isSigned } = pin;
  const { family, number, attempt, sha256 } = head;
  const commit = await inStore(() => readCommitAt(home, family, number, options.signal));
  if (commit?.attempt !== attempt) return null;
  if (digestOf(commit) !== sha256) throw damaged(path, 'its commit names other files');
  return { head, isSigned, contents: { kind: 'commit', commit } };
}

/** The manifest of a backup, whose commit may be missing; null if it was deleted meanwhile. */
export async function readBackupPin(
  home: Home,
  name: BackupName,
  options: SigningOptions,
): Promise<SignedValue<BackupManifest> | null> {
  const lines = await linesOf(home, name, options);
  if (lines === null) return null;
  const path = `${home.place}/${name.key}`;
  const value = checkManifest(path, () => readManifestFields(lines.value));
  if (value.family !== name.family) throw damaged(path, `it is of "${value.family}"`);
  return { ...lines, value: requireOf(name, value, path) };
}

async function linesOf(home: Home, { key, family }: BackupName, options: SigningOptions) {
  const lines = await readLines(home, key, BACKUP_LINES, options);
  if (lines === null || (lines.version === 1) === (family === null)) return lines;
  throw damaged(`${home.place}/${key}`, 'it has another version');
}

function requireOf<T extends BackupHead>({ index, id }: BackupName, head: T, path: string): T {
  if (head.index === index && head.id === id) return head;
  throw damaged(path, `it is of backup "${head.id}" of index "${head.index}"`);
}

/** The SHA-256 of what a commit says of bundles and files, so that a manifest vouches for all. */
export function digestOf({ bundles, files }: Pick<PublishedCommit, 'bundles' | 'files'>): string {
  const said = bundles.map(({ family, object, size, crc, sha256 }) => {
    return [family, object, size, crc, sha256];
  });
  return hash('sha256', JSON.stringify([said, files]));
}

/** Writes the pin of a backup, signed with a key. */
export async function writeBackupPin(
  { store }: Home,
  manifest: BackupManifest,
  key?: KeyObject,
): Promise<void> {
  const bytes = encodeLines(BACKUP_LINES, manifest, key);
  await inStore(() => store.put(backupKey(manifest), bytes, { condition: 'absent' }));
}
