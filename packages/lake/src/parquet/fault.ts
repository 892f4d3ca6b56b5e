import { LakeError } from '../base/errors.ts';
import { type FileRole, invalidCode } from '../base/files/random-access-file.ts';

/** Where an error happened: the file, and what the file is to the table. */
export interface FaultPlace {
  readonly path: string;
  readonly role: FileRole;
}

/**
 * The error for a Parquet file whose bytes are wrong: `data_file_invalid` or `delete_file_invalid`.
 */
export function parquetFault(place: FaultPlace, what: string): LakeError {
  return new LakeError(
    invalidCode(place.role),
    `parquet file "${place.path}" is damaged: ${what}; restore it from a copy or rewrite it`,
    { file: place.path },
  );
}

/** The error for a Parquet file that needs more than LIMITS allows. */
export function parquetLimit(place: FaultPlace, what: string): LakeError {
  return new LakeError(
    'limit_exceeded',
    `parquet file "${place.path}" goes beyond a limit: ${what}`,
    {
      file: place.path,
    },
  );
}

/** The error for a Parquet feature that this reader does not know. */
export function parquetUnsupported(place: FaultPlace, what: string): LakeError {
  return new LakeError(
    'unsupported',
    `parquet file "${place.path}" uses ${what}, which is not supported; rewrite the file`,
    {
      file: place.path,
    },
  );
}
