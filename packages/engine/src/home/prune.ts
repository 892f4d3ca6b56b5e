/**
 * Prune: deletes the pins of old backups first, then what no commit needs that is left. Bundles of
 * running backups stay: they are sent for a commit that is not there yet (sweep.ts).
 */
import { randomUUID } from 'node:crypto';
import type { CallContext, LhsError, PruneResponse } from '@lakehouse-search/contract';
import { eachOf, type ObjectInfo } from '@lakehouse-search/lake/internal';
import type { Clock } from '../base/time/clock.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { inStore } from '../source/store-errors.ts';
import { isBackupFamily } from './backup-index.ts';
import { type BackupName, listBackups, readBackup, readBackupPin } from './backups.ts';
import {
  appendCommit,
  commitPrefix,
  isDropped,
  lastCommit,
  type PublishedCommit,
} from './chain.ts';
import { type ChunkedFile, formerRuns, unusedChunks } from './former-backups.ts';
import { pinnedCommits } from './pins.ts';
import { ENDED, type Home } from './stored-json.ts';
import { type Swept, sweepable, sweepFamily } from './sweep.ts';

/** Chunks that are deleted with one request. */
const AT_ONCE = 1000;
const WRITES_AT_ONCE = 24;
const FAMILY_KEY = /^families\/([0-9a-f-]{36})\/$/;

/** What to keep. */
export interface PruneOptions extends CallContext {
  readonly keep: number;
  /** Backups of which indexes are counted; others are left alone. */
  readonly isOurs: (index: string) => boolean;
  /** Of an erasure: ids of backups that go whatever their age. */
  readonly also?: ReadonlySet<string>;
  readonly clock: Clock;
}

/**
 * Deletes all but the newest backups of each index, and what only they use. Throws corrupt_index if
 * a backup that remains cannot be read: then nothing else is deleted.
 */
export async function pruneRepository(
  home: Home,
  { keep, isOurs, also, clock, signal }: PruneOptions,
): Promise<PruneResponse> {
  return inStore(async () => {
    const names = (await listBackups(home, undefined, signal)).filter(({ index }) => isOurs(index));
    const visible: BackupName[] = [];
    for (const name of names) if (await isVisible(home, name, signal)) visible.push(name);
    const old = oldest(visible, keep, also);
    refuseAborted(signal);
    await home.store.delete(old.map(({ key }) => key));
    const families = new Set(old.flatMap(({ family }) => family ?? []));
    for (const family of await backupFamilies(home, signal)) families.add(family);
    const swept: Swept[] = [];
    for (const family of families) {
      refuseAborted(signal);
      swept.push(await sweepBackups(home, family, also !== undefined, signal));
    }
    const deferred = await formerRuns(home, clock.now(), signal);
    if (!deferred) swept.push(await sweepChunks(home, signal));
    await home.store.sweep(signal);
    return {
      backups_removed: old.map(({ id }) => id),
      backups_kept: visible.length - old.length,
      files_removed: swept.reduce((sum, { files }) => sum + files, 0),
      bytes_removed: swept.reduce((sum, { bytes }) => sum + bytes, 0),
      deferred,
    };
  });
}

/** What is damaged counts: it is in the list. */
async function isVisible(home: Home, name: BackupName, signal?: AbortSignal): Promise<boolean> {
  try {
    return (await readBackup(home, name, { signal })) !== null;
  } catch (error) {
    const { code } = error as LhsError;
    if (code === 'corrupt_index' || code === 'unsupported') return true;
    throw error;
  }
}

/** All but the `keep` newest of each index, and those of `also`. */
function oldest(
  newestFirst: readonly BackupName[],
  keep: number,
  also: ReadonlySet<string> = new Set(),
): readonly BackupName[] {
  const kept = new Map<string, number>();
  return newestFirst.filter(({ index, id }) => {
    const count = (kept.get(index) ?? 0) + 1;
    kept.set(index, count);
    return count > keep || also.has(id);
  });
}

async function backupFamilies({ store }: Home, signal?: AbortSignal): Promise<readonly string[]> {
  const families: string[] = [];
  for await (const { key } of store.list('families/', { oneLevel: true, signal })) {
    const [, family = ''] = FAMILY_KEY.exec(key) ?? [];
    if (isBackupFamily(family)) families.push(family);
  }
  return families;
}

/**
 * Sweeps a published index or its backups. The newest backup stays, as the next one is built on it:
 * if no pin names it, an empty commit takes its place. `isErasure`: also what a first backup has
 * sent that is not complete.
 */
async function sweepBackups(
  home: Home,
  family: string,
  isErasure: boolean,
  signal?: AbortSignal,
): Promise<Swept> {
  if (!isBackupFamily(family)) {
    const isOver = await isDropped(home, family);
    const newest = isOver ? null : await lastCommit(home, family, signal);
    return sweepFamily(home, family, newest, signal);
  }
  const { newest, needed } = await newestBackup(home, family, signal);
  if (newest === null && !isErasure) return { files: 0, bytes: 0 };
  const empty = { ...needed, number: needed.number + 1, attempt: randomUUID() };
  const isReplaced = needed !== newest && (await appendCommit(home, empty));
  await home.store.delete(await voidPins(home, family, needed.number, signal));
  const unneeded = await unneededIn(home, family, isReplaced ? empty : (newest ?? needed), signal);
  const isCommit = ({ key }: ObjectInfo) => key.startsWith(commitPrefix(family));
  await eachOf(unneeded.filter(isCommit), WRITES_AT_ONCE, ({ key }) => home.store.put(key, ENDED));
  await home.store.delete(unneeded.filter((one) => !isCommit(one)).map(({ key }) => key));
  return { files: unneeded.length, bytes: unneeded.reduce((sum, { size }) => sum + size, 0) };
}

/** What nobody needs of the commits of backups. */
async function unneededIn(
  home: Home,
  family: string,
  newest: PublishedCommit,
  signal?: AbortSignal,
): Promise<readonly ObjectInfo[]> {
  const all = await sweepable(home, family, newest, signal);
  return all.unneeded.filter(({ size }) => size !== ENDED.length);
}

/** Keys of pins whose commit, up to a number, another attempt has written. */
async function voidPins(
  home: Home,
  family: string,
  last: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const name of await listBackups(home, undefined, signal)) {
    if (name.family !== family || (await isVisible(home, name, signal))) continue;
    const pin = await readBackupPin(home, name, { signal });
    if (pin !== null && pin.value.number <= last) keys.push(name.key);
  }
  return keys;
}

/** The newest commit, and what of it is needed: nothing if no pin names it. */
async function newestBackup(home: Home, family: string, signal?: AbortSignal) {
  const newest = await lastCommit(home, family, signal);
  const pinned = await pinnedCommits(home, family, signal);
  const isNeeded = pinned.some(({ number }) => number === newest?.number);
  const needed: PublishedCommit =
    newest !== null && (isNeeded || newest.bundles.length === 0)
      ? newest
      : { ...NOTHING, uuid: family, number: newest?.number ?? 0 };
  return { newest, needed };
}

const NOTHING = Object.freeze({
  ...{ format: 1, attempt: '', index: 'none', definition: '', definition_version: 0, base_dir: '' },
  ...{ generation: 1, commit: 0, bundles: [], files: {}, seals: {}, former: [] },
});

/** The number of objects that a prune deletes which deletes no backup. */
export async function unneededObjects(home: Home, signal?: AbortSignal): Promise<number> {
  return inStore(async () => {
    let count = (await chunksNobodyNames(home, signal)).size;
    for (const family of await backupFamilies(home, signal)) {
      const { newest, needed } = await newestBackup(home, family, signal);
      // of a first backup that is not complete, all
      const last = newest === null ? { ...needed, number: Number.POSITIVE_INFINITY } : needed;
      count += (await unneededIn(home, family, last, signal)).length;
    }
    return count;
  });
}

async function sweepChunks(home: Home, signal?: AbortSignal): Promise<Swept> {
  const unused = [...(await chunksNobodyNames(home, signal))];
  for (let from = 0; from < unused.length; from += AT_ONCE) {
    refuseAborted(signal);
    await home.store.delete(unused.slice(from, from + AT_ONCE).map(([key]) => key));
  }
  return { files: unused.length, bytes: unused.reduce((sum, [, length]) => sum + length, 0) };
}

/** The chunks of former backups that none names: lengths by key. */
async function chunksNobodyNames(
  home: Home,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const named: ChunkedFile[] = [];
  for (const name of await listBackups(home, undefined, signal)) {
    const found = name.family === null ? await readBackup(home, name, { signal }) : null;
    if (found?.contents.kind === 'chunks') named.push(...found.contents.files);
  }
  return unusedChunks(home, named, signal);
}
