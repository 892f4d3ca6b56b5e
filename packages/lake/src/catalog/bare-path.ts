import { basename, dirname } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { kindOfPath } from '../base/files/table-files.ts';
import { isObjectPath } from '../base/object-storage.ts';
import { resolvePlace } from '../base/place.ts';
import { isMetadataFileName, readMetadataFile } from '../metadata/read-metadata.ts';
import { filesystemHandle } from './filesystem.ts';
import { relocate } from './relocation.ts';
import type { SettledOptions, TableHandle } from './table-handle.ts';

/**
 * A table by path: its folder (then the newest metadata version counts, and commits are those of
 * the filesystem catalog), or one of its metadata files (then that version, for ever). Throws
 * table_not_found, metadata_invalid.
 */
export async function loadPath(path: string, options: SettledOptions): Promise<TableHandle> {
  const real = resolvePlace(path);
  const kind = isObjectPath(real) ? kindOfObject(real) : await kindOfPath(real);
  if (kind === 'file' && /\.parquet$/i.test(real)) throw parquetFile(path);
  if (kind === 'file') return loadMetadataFile(real, options);
  if (kind === 'folder') {
    const folder = basename(real) === 'metadata' ? dirname(real) : real;
    return filesystemHandle({ name: basename(folder), folder, warehouse: null, options });
  }
  throw new LakeError(
    'table_not_found',
    `there is no table at "${path}"; expected its folder or one of its metadata files`,
    { file: real },
  );
}

function parquetFile(path: string): LakeError {
  return new LakeError(
    'table_not_found',
    `"${path}" is a Parquet file and no table; import it into one`,
    { file: path },
  );
}

/** An object store has no folders: the name decides whether it is a metadata file. */
function kindOfObject(path: string): 'file' | 'folder' {
  return isMetadataFileName(basename(path)) ? 'file' : 'folder';
}

async function loadMetadataFile(path: string, options: SettledOptions): Promise<TableHandle> {
  const metadata = await readMetadataFile(path, options.store);
  const files = relocate(metadata, path, options);
  const handle: TableHandle = Object.freeze({
    name: basename(files.root),
    metadata,
    files,
    config: {},
    commit: null,
    refresh: async () => handle,
  });
  return handle;
}
