/**
 * The folder of the cache on the local disk, which all processes of a user share:
 *
 *   <uuid of an index>.<object>   blocks of a cold file (cached-file.ts)
 *   families.<uuid>.data.<bundle>.<object>
 *                                 the same of a bundle of a published index
 *   opened/<…>/                   a data folder with published indexes that are opened by location;
 *                                 commit-<uuid>.<attempt> names each commit that it has files of
 *
 * All together take at most LHS_COLD_CACHE_BYTES; what was not used for longest goes first. What a
 * process has open or a point in time holds stays.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { heldPins } from '../base/pin-names.ts';
import { isGone, type ProcessIdentity, thisProcess } from '../base/process-identity.ts';

const LIMIT = 'LHS_COLD_CACHE_BYTES';
const DEFAULT_BYTES = 8 * 2 ** 30;
const LEAST_BYTES = 2 ** 20;
/** Bytes that are written between two looks at the size of the cache, at most. */
const TRIM_EVERY = 2 ** 24;
/** `blocks` of a file's status are of this size. */
const DISK_BLOCK = 512;
/** Folders that nobody has opened for so long are removed. */
const UNUSED_MS = 24 * 3_600_000;
const MARK = 'open-';

/** What is written before the first look counts as much. */
let written = TRIM_EVERY;

/** The folder of the cache. */
export const cacheFolder = (): string =>
  process.env.LHS_COLD_CACHE_DIR ||
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lhs', 'cold');

/** The folder of the data folders of published indexes that are opened by location. */
export const openedFolders = (): string => join(cacheFolder(), 'opened');
/** What the name of a mark begins with that names a commit of which a folder has files. */
export const COMMIT_MARK = 'commit-';

/** Bytes of the cache, at most; 0: it keeps nothing. Throws invalid_argument. */
export function cacheLimit(): number {
  const text = process.env[LIMIT] || `${DEFAULT_BYTES}`;
  const bytes = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (bytes === 0 || bytes >= LEAST_BYTES) return bytes;
  throw new LhsError('invalid_argument', `${LIMIT} is "${text}"`, {
    hint: `set bytes, at least ${LEAST_BYTES}, or 0 for no cache, as ${LIMIT}=${DEFAULT_BYTES}`,
  });
}

/** Marks a data folder as open in this process; the result ends that. */
export function markOpen(folder: string): () => void {
  const path = join(folder, MARK + randomUUID());
  writeFileSync(path, JSON.stringify(thisProcess()), { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

/** Counts bytes that were written to the cache. */
export function noteWritten(bytes: number): void {
  written += bytes;
}

/** Trims the cache after much was written. Throws invalid_argument. */
export async function trimCacheNow(): Promise<void> {
  const limit = cacheLimit();
  const every = Math.min(TRIM_EVERY, limit / 8);
  if (written < every) return;
  written = 0;
  await trimCache(limit - every);
}

/** What is removed as a whole. */
interface Entry {
  readonly path: string;
  readonly used: number;
  readonly bytes: number;
  readonly isOpen: boolean;
  readonly isPinned: boolean;
}

/** Removes what was not used for longest until the rest has at most `limit` bytes. */
export async function trimCache(limit: number): Promise<void> {
  const files = await entriesIn(cacheFolder(), fileEntry);
  const folders = await entriesIn(openedFolders(), folderEntry);
  const entries = [...files, ...folders].sort((a, b) => a.used - b.used);
  const old = Date.now() - UNUSED_MS;
  const unused = new Set(folders.filter(({ used }) => used < old));
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const entry of entries) {
    if (entry.isOpen || entry.isPinned || (total <= limit && !unused.has(entry))) continue;
    await removeEntry(entry.path);
    total -= entry.bytes;
  }
}

/** A commit of a published index, as the cache has it. */
interface CachedCommit {
  readonly attempt: string;
  readonly bundles: readonly { readonly object: string }[];
}

/**
 * Cached paths of a published index, blocks and opened commits, without those of some commits.
 * Paths that a process has open stay until it closes them.
 */
export async function formerlyPublished(
  uuid: string,
  commits: readonly CachedCommit[],
): Promise<readonly string[]> {
  const prefix = `families.${uuid}.data.`;
  const needed = new Set(commits.flatMap(({ bundles }) => bundles.map(({ object }) => object)));
  const blocks = (await readdir(cacheFolder()).catch(() => [])).filter(
    (name) => name.startsWith(prefix) && !needed.has(name.slice(prefix.length).split('.')[0]),
  );
  const own = new Set(commits.map(({ attempt }) => `${COMMIT_MARK}${uuid}.${attempt}`));
  const opened: string[] = [];
  for (const name of await readdir(openedFolders()).catch(() => [])) {
    const marks = await readdir(join(openedFolders(), name)).catch(() => []);
    const isFormer = marks.some((mark) => mark.startsWith(COMMIT_MARK + uuid) && !own.has(mark));
    if (isFormer) opened.push(join(openedFolders(), name));
  }
  return [...blocks.map((name) => join(cacheFolder(), name)), ...opened];
}

/** Removes what no process has open. */
export async function removeClosed(paths: readonly string[]): Promise<void> {
  for (const path of paths) if ((await folderEntry(path))?.isOpen !== true) await removeEntry(path);
}

/** Removes a file, or a folder at once: nobody opens half of it. */
export async function removeEntry(path: string): Promise<void> {
  const gone = `${path}.${randomUUID()}.gone`;
  await rename(path, gone).catch(() => undefined);
  await rm(gone, { recursive: true, force: true }).catch(() => undefined);
}

async function entriesIn(
  folder: string,
  entryOf: (path: string) => Promise<Entry | null>,
): Promise<readonly Entry[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.map((name) => entryOf(join(folder, name))));
  return found.filter((entry) => entry !== null);
}

async function fileEntry(path: string): Promise<Entry | null> {
  const info = await stat(path).catch(() => null);
  if (info?.isFile() !== true) return null;
  const bytes = DISK_BLOCK * info.blocks;
  return { path, used: info.mtimeMs, bytes, isOpen: false, isPinned: false };
}

async function folderEntry(path: string): Promise<Entry | null> {
  const info = await stat(path).catch(() => null);
  if (info === null) return null;
  const names = await readdir(path, { recursive: true }).catch(() => []);
  const files = await Promise.all(names.map((name) => fileEntry(join(path, name))));
  const bytes = files.reduce((sum, file) => sum + (file?.bytes ?? 0), 0);
  const isOpen = names.some((name) => name.startsWith(MARK) && !hasEnded(join(path, name)));
  const isPinned =
    heldPins(
      names.map((name) => basename(name)),
      Date.now(),
    ).length > 0;
  return { path, used: info.mtimeMs, bytes, isOpen, isPinned };
}

/** Whether the process of a mark is gone. What cannot be read says nothing. */
function hasEnded(mark: string): boolean {
  try {
    return isGone(JSON.parse(readFileSync(mark, 'utf8')) as ProcessIdentity);
  } catch {
    return true;
  }
}
