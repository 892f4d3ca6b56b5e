import { basename, dirname, resolve as resolvePath } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { kindOfPath } from '../base/table-files.ts';
import { readMetadataFile } from '../metadata/read-metadata.ts';
import { filesystemHandle } from './filesystem.ts';
import { relocate } from './relocation.ts';
import type { LoadOptions, TableHandle } from './table-handle.ts';

/**
 * A table by path: its folder (then the newest metadata version counts, and commits are those of
 * the filesystem catalog), or one of its metadata files (then that version, for ever). Throws
 * table_not_found, metadata_invalid.
 */
export async function loadPath(path: string, options: LoadOptions): Promise<TableHandle> {
  const real = resolvePath(path);
  const kind = await kindOfPath(real);
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

async function loadMetadataFile(path: string, options: LoadOptions): Promise<TableHandle> {
  const metadata = await readMetadataFile(path);
  const files = relocate(metadata, path, { allowedRoots: options.allowedRoots ?? [] });
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
