import { join, resolve, sep } from 'node:path';
import { isObjectPath, objectAddress, oneSpelling } from './object-storage.ts';

/**
 * Places are absolute local paths, or those of objects (`s3://bucket/key`) without a slash at the
 * end. Node's `dirname` and `basename` work on both. Local paths of Windows have slashes too, as
 * recorded paths do; the system takes both separators.
 */

/** A local path with slashes. On Windows, a file URL has a slash before the drive: `/C:/lake`. */
export const withSlashes = (path: string): string =>
  sep === '/' ? path : path.replaceAll(sep, '/').replace(/^\/(?=[a-z]:(\/|$))/i, '');

/** The place that a person's path means: local ones are resolved against the working directory. */
export function resolvePlace(path: string): string {
  if (!isObjectPath(path)) return withSlashes(resolve(path));
  objectAddress(path);
  return oneSpelling(path).replace(/\/+$/, '');
}

/** A place below another one. */
export function joinPlace(folder: string, ...parts: readonly string[]): string {
  return isObjectPath(folder) ? [folder, ...parts].join('/') : withSlashes(join(folder, ...parts));
}
