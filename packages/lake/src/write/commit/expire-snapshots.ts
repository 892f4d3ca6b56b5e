/**
 * Expiry: one metadata commit removes the snapshots that no rule keeps; then the files that only
 * those snapshots used are deleted, if they are in the table's own folder after symbolic links are
 * resolved. Files that no snapshot ever used are not touched.
 */
import { realpath, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LakeError } from '../../base/errors.ts';
import { below } from '../../base/files/table-files.ts';
import type { JsonObject } from '../../base/json.ts';
import { isObjectPath } from '../../base/object-storage.ts';
import { loadTable } from '../../catalog/load-table.ts';
import type { TableHandle } from '../../catalog/table-handle.ts';
import { readManifest } from '../../metadata/manifest.ts';
import { readManifestList } from '../../metadata/manifest-list.ts';
import type { SnapshotEntry } from '../../metadata/snapshot.ts';
import type { TableMetadata } from '../../metadata/table-metadata.ts';
import type { TableConfig } from '../../source-table.ts';
import { chooseExpired } from './choose-expired.ts';
import { commitTable } from './commit.ts';
import { listOf } from './next-metadata.ts';
import { snapshotOfEntry, withoutSnapshots } from './next-refs.ts';

/** What is kept, and what is deleted. */
export interface ExpireOptions {
  /** Snapshots from this time on stay, milliseconds since 1970. Default: no time keeps one. */
  readonly olderThanMs?: number;
  /** Newest snapshots that each branch keeps unless it has a rule of its own. Default: 1. */
  readonly keep?: number;
  /** Leave the files, for readers of old snapshots that are at work. */
  readonly keepFiles?: boolean;
  /** Choose, and change nothing. */
  readonly dryRun?: boolean;
}

/** What an expiry did, or would do. */
export interface ExpireResult {
  readonly expired: readonly string[];
  /** Branches and tags that were older than their own maximum age. */
  readonly refs: readonly string[];
  /** Snapshots that stay. */
  readonly kept: number;
  /** Files that only expired snapshots named, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Files that could not be deleted. */
  readonly left: readonly string[];
}

/** Expires snapshots. Throws invalid_argument, unsupported, commit_conflict. */
export async function expireTableSnapshots(
  config: TableConfig,
  { olderThanMs = Number.POSITIVE_INFINITY, keep = 1, keepFiles, dryRun }: ExpireOptions,
): Promise<ExpireResult> {
  if (Number.isNaN(olderThanMs) || !Number.isSafeInteger(keep) || keep < 1) {
    throw new LakeError('invalid_argument', 'a time in milliseconds, and 1 snapshot or more', {
      details: { older_than: olderThanMs, keep },
    });
  }
  let result: ExpireResult = NOTHING;
  let unneeded: readonly string[] = [];
  await commitTable(await loadTable(config), async (table) => {
    const { metadata } = table;
    refuseWithoutCollection(table);
    const nowMs = Date.now();
    const { snapshots, refs } = chooseExpired(metadata, { olderThanMs, keep, nowMs });
    result = {
      ...NOTHING,
      expired: [...snapshots].map(String),
      refs,
      kept: metadata.snapshots.length,
    };
    if (snapshots.size === 0 && refs.length === 0) return null;
    if (!keepFiles) refuseObjects(table);
    unneeded = keepFiles ? [] : await filesOfNone(table, snapshots);
    const bytes = await bytesOf(unneeded);
    const kept = metadata.snapshots.length - snapshots.size;
    result = { ...result, kept, files: unneeded.length, bytes };
    if (dryRun) return null;
    return { metadata: withoutSnapshots(metadata, snapshots, refs, nowMs), written: [] };
  });
  if (dryRun) return result;
  const removed = await Promise.all(unneeded.map(isRemoved));
  return { ...result, left: unneeded.filter((_, i) => !removed[i]) };
}

const NOTHING: ExpireResult = { expired: [], refs: [], kept: 0, files: 0, bytes: 0, left: [] };

function refuseWithoutCollection({ name, metadata }: TableHandle): void {
  if (metadata.properties['gc.enabled'] !== 'false') return;
  const message = `table "${name}" has gc.enabled=false: its files may belong to others`;
  throw new LakeError('unsupported', message);
}

function refuseObjects({ name, files }: TableHandle): void {
  if (!isObjectPath(files.own)) return;
  const message = `files of "${name}" are not deleted on S3 ("${files.own}")`;
  throw new LakeError('unsupported', `${message}; expire the snapshots and keep the files`, {
    file: files.own,
  });
}

const isRemoved = (path: string): Promise<boolean> =>
  rm(path, { force: true }).then(
    () => true,
    () => false,
  );

async function bytesOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0);
}

/** Real paths of files that some of the expired snapshots name and no other snapshot needs. */
async function filesOfNone(
  table: TableHandle,
  expired: ReadonlySet<bigint>,
): Promise<readonly string[]> {
  const needed = new Set<string>();
  const named = new Set<string>();
  for (const snapshot of table.metadata.snapshots) {
    const into = expired.has(snapshot.id) ? named : needed;
    for (const path of await filesOf(table, snapshot)) into.add(path);
  }
  return within(
    table.files.own,
    [...named].filter((path) => !needed.has(path)),
  );
}

async function filesOf(table: TableHandle, snapshot: SnapshotEntry): Promise<readonly string[]> {
  const { metadata, files } = table;
  const paths: string[] = snapshot.manifestList === null ? [] : [snapshot.manifestList];
  for (const manifest of await readManifestList(snapshot, files)) {
    paths.push(manifest.path);
    const entries = await readManifest(manifest, metadata, files);
    for (const { status, file } of entries) if (status !== 'deleted') paths.push(file.path);
  }
  const statistics = statisticsOf(metadata, snapshot.id).flatMap((path) => readable(table, path));
  return [...paths.map((path) => files.resolve(path)), ...statistics];
}

/** The place of a file that only an expiry would touch; none where the table may not lead to it. */
function readable({ files }: TableHandle, path: string): readonly string[] {
  try {
    return [files.resolve(path)];
  } catch (error) {
    if (error instanceof LakeError && error.reason === 'path_refused') return [];
    throw error;
  }
}

function statisticsOf({ raw }: TableMetadata, id: bigint): readonly string[] {
  const entries = [...listOf(raw.statistics), ...listOf(raw['partition-statistics'])];
  return entries
    .filter((entry) => snapshotOfEntry(entry) === id)
    .map((entry) => String((entry as JsonObject)['statistics-path']));
}

/** Those of `paths` that lie in `folder`, also after symbolic links to folders are followed. */
async function within(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const inside = paths.filter((path) => below(path, folder) !== null);
  const real = await realpath(folder);
  const folders = new Set(inside.map((path) => dirname(path)));
  const trusted = new Set<string>();
  for (const parent of folders) {
    const at = await realpath(parent).catch(() => null);
    if (at !== null && (at === real || below(at, real) !== null)) trusted.add(parent);
  }
  return inside.filter((path) => trusted.has(dirname(path)));
}
