import { dirname } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { makeFolder } from '../base/new-files.ts';
import { isS3 } from '../base/object-storage.ts';
import { outcomeUnknown, type SettledOptions } from './table-handle.ts';

/**
 * Creates a metadata file; false if the name is taken. An object may exist although its request
 * failed: then the error is one of `outcomeUnknown`.
 */
export async function createMetadata(
  path: string,
  json: string,
  { store }: SettledOptions,
): Promise<boolean> {
  if (!isS3(path)) await makeFolder(dirname(path));
  return store.create(path, json).catch((error: unknown) => {
    const isLost = error instanceof LakeError && error.code === 'storage_unreachable';
    throw isLost ? outcomeUnknown(error) : error;
  });
}
