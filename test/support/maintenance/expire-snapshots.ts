import { realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LakeError } from '../../../packages/lake/src/base/errors.ts';
import { below } from '../../../packages/lake/src/base/table-files.ts';
import { loadTable } from '../../../packages/lake/src/catalog/load-table.ts';
import type { TableHandle } from '../../../packages/lake/src/catalog/table-handle.ts';
import { readManifest } from '../../../packages/lake/src/metadata/manifest.ts';
import { readManifestList } from '../../../packages/lake/src/metadata/manifest-list.ts';
import type { SnapshotEntry } from '../../../packages/lake/src/metadata/snapshot.ts';
import type { TableConfig } from '../../../packages/lake/src/source-table.ts';
import { commitTable } from '../../../packages/lake/src/write/commit.ts';
import { withoutSnapshots } from './next-metadata.ts';

/** What expiry does beside forgetting. */
export interface ExpireOptions {
  /**
   * Also remove the files (data, deletes, manifests, manifest lists) that no snapshot which stays
   * needs. Default false: a reader of an old snapshot may be at work. Only files in the table's own
   * folder are removed. A file elsewhere may belong to another table, so it stays.
   */
  readonly deleteFiles?: boolean;
}

/**
 * Forgets snapshots older than a moment (ms since 1970), except those that a branch or tag names.
 * Returns the forgotten ids. Throws invalid_argument; a file that cannot be removed stays.
 */
export async function expireSnapshots(
  config: TableConfig,
  olderThanMs: number,
  options: ExpireOptions = {},
): Promise<readonly bigint[]> {
  if (!Number.isFinite(olderThanMs)) {
    throw new LakeError('invalid_argument', `${olderThanMs} is not a time in milliseconds`);
  }
  let expired: readonly bigint[] = [];
  let unneeded: readonly string[] = [];
  await commitTable(await loadTable(config), async (table) => {
    const { metadata } = table;
    const kept = new Set([metadata.currentSnapshotId, ...metadata.refs.map((r) => r.snapshotId)]);
    const old = metadata.snapshots.filter((s) => s.timestampMs < olderThanMs && !kept.has(s.id));
    expired = old.map((s) => s.id);
    if (expired.length === 0) return null;
    if (options.deleteFiles) unneeded = await filesOfNone(table, old);
    return { metadata: withoutSnapshots(metadata, new Set(expired), Date.now()), written: [] };
  });
  await Promise.all(unneeded.map((path) => rm(path, { force: true }).catch(() => undefined)));
  return expired;
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

/** Real paths of files that some of the `old` snapshots name and no other snapshot needs. */
async function filesOfNone(
  table: TableHandle,
  old: readonly SnapshotEntry[],
): Promise<readonly string[]> {
  const stay = table.metadata.snapshots.filter((snapshot) => !old.includes(snapshot));
  const needed = new Set<string>();
  for (const snapshot of stay) for (const path of await filesOf(table, snapshot)) needed.add(path);
  const named = new Set<string>();
  for (const snapshot of old) for (const path of await filesOf(table, snapshot)) named.add(path);
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
  return paths.map((path) => files.resolve(path));
}
