import { dirname } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { makeFolder } from '../base/files/new-files.ts';
import { isObjectPath } from '../base/object-storage.ts';
import { outcomeUnknown, type SettledOptions } from './table-handle.ts';

/**
 * Creates a metadata file; false if the name is taken. It may exist, or come to exist, although the
 * request failed: then the error is one of `outcomeUnknown`. `isFirst`: of a table whose commits
 * are such files.
 */
export async function createMetadata(
  path: string,
  json: string,
  { store }: SettledOptions,
  isFirst = false,
): Promise<boolean> {
  if (!isObjectPath(path)) await makeFolder(dirname(path));
  return store.create(path, json, isFirst).catch(async (error: unknown) => {
    if (!(error instanceof LakeError)) throw error;
    const isLost = error.reason === 'storage_unreachable';
    const isThere = isLost || (await store.stamp(path).catch(() => 'unknown')) !== null;
    throw isThere ? outcomeUnknown(error) : error;
  });
}
