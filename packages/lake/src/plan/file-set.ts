import { LakeError } from '../base/errors.ts';
import type { TableFiles } from '../base/files/table-files.ts';
import { LIMITS } from '../base/limits.ts';
import type { DataFile, DeleteFile, FileSet } from '../metadata/file-set.ts';
import { type ManifestFile, readManifestList } from '../metadata/manifest-list.ts';
import { snapshotOf, specById, type TableMetadata } from '../metadata/table-metadata.ts';
import { isUnpartitioned } from '../schema/partition-spec.ts';
import { buildDeleteIndex } from './delete-index.ts';
import { cachedManifest } from './manifest-cache.ts';

/** Manifests that are read at a time. */
const CONCURRENCY = 8;

/**
 * What a snapshot is made of: its live data files, each with the delete files that apply to it.
 * null, or a table without a snapshot, is the empty set. Throws snapshot_not_found,
 * manifest_invalid, path_refused, unsupported, limit_exceeded.
 */
export async function fileSet(
  table: { readonly metadata: TableMetadata; readonly files: TableFiles },
  snapshotId: bigint | null,
): Promise<FileSet> {
  if (snapshotId === null) return Object.freeze({ snapshotId, files: Object.freeze([]) });
  const { metadata, files } = table;
  const manifests = await readManifestList(snapshotOf(metadata, snapshotId), files);
  const { data, deletes } = await liveFiles(manifests, metadata, files);
  const index = buildDeleteIndex(deletes, (id) => isUnpartitioned(specById(metadata, id)));
  const scans = data.map((file) =>
    Object.freeze({ data: file, deletes: Object.freeze(index.deletesFor(file)) }),
  );
  return Object.freeze({ snapshotId, files: Object.freeze(scans) });
}

async function liveFiles(
  manifests: readonly ManifestFile[],
  metadata: TableMetadata,
  files: TableFiles,
): Promise<{ data: readonly DataFile[]; deletes: readonly DeleteFile[] }> {
  const data: DataFile[] = [];
  const deletes: DeleteFile[] = [];
  for (let at = 0; at < manifests.length; at += CONCURRENCY) {
    const group = manifests.slice(at, at + CONCURRENCY);
    const read = await Promise.all(
      group.map((manifest) => cachedManifest(manifest, metadata, files)),
    );
    for (const entry of read.flat()) {
      if (entry.status === 'deleted') continue;
      files.resolve(entry.file.path);
      if (entry.content === 'data') data.push(entry.file);
      else deletes.push(entry.file);
    }
    if (data.length + deletes.length > LIMITS.filesPerSnapshot) {
      throw new LakeError('limit_exceeded', 'a snapshot has more files than the limit', {
        file: metadata.file,
      });
    }
  }
  return { data, deletes };
}
