import { LakeError } from '../base/errors.ts';
import type { FileRole } from '../base/files/random-access-file.ts';
import type { FileSet } from '../metadata/file-set.ts';

/** The error for a file that is ORC. */
export function orcRefused(path: string, role: FileRole): LakeError {
  return new LakeError(
    'unsupported',
    `${role} file "${path}" is ORC, which is not read; rewrite the table's data files as Parquet`,
    { file: path },
  );
}

/** Throws `unsupported` if a data or delete file of a snapshot is ORC. */
export function refuseOrcFiles({ files }: FileSet): void {
  for (const { data, deletes } of files) {
    if (data.format === 'orc') throw orcRefused(data.path, 'data');
    const other = deletes.find(({ format }) => format === 'orc');
    if (other !== undefined) throw orcRefused(other.path, 'delete');
  }
}
