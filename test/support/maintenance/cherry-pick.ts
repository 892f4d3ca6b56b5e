import { LakeError } from '../../../packages/lake/src/base/errors.ts';
import { loadTable } from '../../../packages/lake/src/catalog/load-table.ts';
import type { TableHandle } from '../../../packages/lake/src/catalog/table-handle.ts';
import type { DataFile } from '../../../packages/lake/src/metadata/file-set.ts';
import { readManifest } from '../../../packages/lake/src/metadata/manifest.ts';
import { readManifestList } from '../../../packages/lake/src/metadata/manifest-list.ts';
import type { SnapshotEntry } from '../../../packages/lake/src/metadata/snapshot.ts';
import { ancestryOf, snapshotOf } from '../../../packages/lake/src/metadata/table-metadata.ts';
import type { TableConfig } from '../../../packages/lake/src/source-table.ts';
import { commitTable } from '../../../packages/lake/src/write/commit/commit.ts';
import { withRef } from '../../../packages/lake/src/write/commit/next-refs.ts';
import { snapshotMetadata } from '../../../packages/lake/src/write/commit/snapshot-commit.ts';
import type { NewDataFile } from '../../../packages/lake/src/write/files/data-files.ts';

/**
 * Brings what a snapshot appended to the head of main: the head moves to it where it stands on
 * the head, else a new snapshot takes its data files in. Returns the id of the new head. Throws
 * snapshot_not_found, invalid_argument (it is part of main already), unsupported (it did more than
 * append, or its files are of another partition spec than the table's).
 */
export async function cherryPick(config: TableConfig, snapshotId: bigint): Promise<bigint> {
  let head = snapshotId;
  await commitTable(await loadTable(config), async (table) => {
    const { metadata } = table;
    const picked = snapshotOf(metadata, snapshotId);
    const { currentSnapshotId } = metadata;
    if (currentSnapshotId !== null && isAncestor(table, currentSnapshotId, snapshotId)) {
      throw new LakeError('invalid_argument', `snapshot ${snapshotId} is part of main already`);
    }
    if (picked.parentId === currentSnapshotId) {
      head = snapshotId;
      return {
        metadata: withRef(metadata, 'main', { kind: 'branch', snapshotId }, Date.now()),
        written: [],
      };
    }
    const prepared = await pickedAppend(table, picked);
    head = prepared.snapshotId;
    return prepared;
  });
  return head;
}

function isAncestor({ metadata }: TableHandle, of: bigint, id: bigint): boolean {
  return ancestryOf(metadata, of).some((snapshot) => snapshot.id === id);
}

async function pickedAppend(table: TableHandle, picked: SnapshotEntry) {
  if (picked.operation !== 'append') {
    const { id, operation } = picked;
    const message = `snapshot ${id} is of operation ${operation}: only appends can be picked`;
    throw new LakeError('unsupported', message);
  }
  const addedData = (await appended(table, picked)).map((file) => asNew(table, file));
  const change = {
    operation: 'append' as const,
    addedData,
    addedDeletes: [],
    removes: () => false,
    mayRemove: false,
  };
  return snapshotMetadata(table.metadata, table.files, change, 'main');
}

async function appended(
  { metadata, files }: TableHandle,
  picked: SnapshotEntry,
): Promise<readonly DataFile[]> {
  const added: DataFile[] = [];
  for (const manifest of await readManifestList(picked, files)) {
    if (manifest.addedSnapshotId !== picked.id || manifest.content !== 'data') continue;
    for (const entry of await readManifest(manifest, metadata, files)) {
      if (entry.status === 'added' && entry.content === 'data') added.push(entry.file);
    }
  }
  return added;
}

function asNew({ metadata, files }: TableHandle, file: DataFile): NewDataFile {
  if (file.specId !== metadata.defaultSpec.specId || file.format === 'orc') {
    throw new LakeError('unsupported', `data file "${file.path}" cannot be taken over`, {
      file: file.path,
      details: { expected: 'a Parquet or Avro file of the current partition spec' },
    });
  }
  return { ...file, format: file.format, recorded: file.path, real: files.resolve(file.path) };
}
