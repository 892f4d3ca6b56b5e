import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The location of a published index that an argument names, `s3://bucket/prefix/NAME` or
 * `./folder/NAME`, with a scheme; null: it is a name.
 */
export function indexLocation(argument: unknown): string | null {
  if (typeof argument !== 'string' || !argument.includes('/')) return null;
  const path = argument.replace(/\/+$/, '');
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path) ? path : pathToFileURL(resolve(path)).href;
}
