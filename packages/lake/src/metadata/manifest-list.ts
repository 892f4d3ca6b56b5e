import { readAvroRows } from '../avro/container.ts';
import { LakeError } from '../base/errors.ts';
import type { TableFiles } from '../base/files/table-files.ts';
import { LIMITS } from '../base/limits.ts';
import type { StructValue, Value } from '../schema/type.ts';
import { manifestListSchema } from './manifest-schema.ts';
import type { SnapshotEntry } from './snapshot.ts';

/** One manifest of a snapshot, as its manifest list has it. */
export interface ManifestFile {
  readonly path: string;
  readonly length: number;
  /** null: an inline manifest of v1; its header has it. */
  readonly specId: number | null;
  readonly content: 'data' | 'deletes';
  readonly sequence: bigint;
  readonly minSequence: bigint;
  readonly addedSnapshotId: bigint;
  /**
   * v3: where inherited row ids begin; null before the table's upgrade and for delete manifests.
   */
  readonly firstRowId: bigint | null;
  /** Files by status; null if a v1 list does not say. */
  readonly addedFiles: number | null;
  readonly existingFiles: number | null;
  readonly deletedFiles: number | null;
  /** The whole row, to be carried over into the next manifest list. */
  readonly raw: StructValue;
}

/**
 * The manifests of a snapshot, in the order of its manifest list (or of its inline list in v1).
 * Throws manifest_invalid if the list is missing or damaged, `unsupported` if it is
 * encrypted, path_refused.
 */
export async function readManifestList(
  snapshot: SnapshotEntry,
  files: TableFiles,
): Promise<readonly ManifestFile[]> {
  if (snapshot.keyId !== null) throw encrypted(snapshot.manifestList ?? '', 'manifest list');
  if (snapshot.manifestList === null) return (snapshot.manifests ?? []).map(inline(snapshot));
  const path = snapshot.manifestList;
  const bytes = await files.read(path, 'manifest_invalid', LIMITS.manifestBytes);
  const options = { code: 'manifest_invalid' } as const;
  const real = files.resolve(path);
  const manifests: ManifestFile[] = [];
  for (const row of readAvroRows(bytes, real, manifestListSchema(3, true), options)) {
    manifests.push(manifestOf(row, path));
    if (manifests.length > LIMITS.manifestsPerSnapshot) {
      throw new LakeError('limit_exceeded', `manifest list "${path}" has too many manifests`, {
        file: path,
      });
    }
  }
  return Object.freeze(manifests);
}

/** The error for a file that only a key can open. */
export function encrypted(path: string, what: string): LakeError {
  return new LakeError(
    'unsupported',
    `${what} "${path}" is encrypted; encryption is not supported`,
    {
      file: path,
    },
  );
}

function inline(snapshot: SnapshotEntry): (path: string) => ManifestFile {
  return (path) => ({
    path,
    length: 0,
    specId: null,
    content: 'data',
    sequence: 0n,
    minSequence: 0n,
    addedSnapshotId: snapshot.id,
    firstRowId: null,
    addedFiles: null,
    existingFiles: null,
    deletedFiles: null,
    raw: {},
  });
}

const orZero = (value: Value | undefined): bigint => (value as bigint | null | undefined) ?? 0n;
const orNull = <T extends Value>(value: Value | undefined): T | null => (value ?? null) as T | null;

function manifestOf(row: StructValue, list: string): ManifestFile {
  const path = row.manifest_path as string;
  const content = (row.content as number | null) ?? 0;
  if (content !== 0 && content !== 1) {
    throw new LakeError(
      'manifest_invalid',
      `manifest list "${list}" gives manifest "${path}" the content ${content}; 0 and 1 are known`,
      { file: list },
    );
  }
  if (row.key_metadata !== null && row.key_metadata !== undefined)
    throw encrypted(path, 'manifest');
  return Object.freeze({
    path,
    length: Number(row.manifest_length as bigint),
    specId: orNull<number>(row.partition_spec_id),
    content: content === 0 ? ('data' as const) : ('deletes' as const),
    sequence: orZero(row.sequence_number),
    minSequence: orZero(row.min_sequence_number),
    addedSnapshotId: orZero(row.added_snapshot_id),
    firstRowId: orNull<bigint>(row.first_row_id),
    addedFiles: orNull<number>(row.added_files_count),
    existingFiles: orNull<number>(row.existing_files_count),
    deletedFiles: orNull<number>(row.deleted_files_count),
    raw: row,
  });
}
