import { delimiter } from 'node:path';
import { openFiles } from '../objects/open-files.ts';
import type { CatalogConfig } from './config.ts';
import type { LoadOptions, SettledOptions } from './table-handle.ts';

/**
 * Options with their defaults. Allowed roots: the caller's, or those of LHS_ALLOWED_ROOTS
 * (separated as in PATH), and those of the catalog. The store reads local files, and objects with
 * the settings of the caller, else of the catalog, else of the environment.
 */
export function settled(
  options: LoadOptions,
  catalog: Partial<Pick<CatalogConfig, 'allowed_roots' | 's3'>>,
): SettledOptions {
  const env = options.env ?? process.env;
  const given = options.allowedRoots ?? rootsOf(env.LHS_ALLOWED_ROOTS ?? '');
  return {
    ...options,
    allowedRoots: [...given, ...(catalog.allowed_roots ?? [])],
    store: openFiles({ s3: { ...catalog.s3, ...options.s3 }, env }),
  };
}

/** The colon of `s3://` separates nothing. */
function rootsOf(list: string): readonly string[] {
  const separator = delimiter === ':' ? /:(?!\/\/)/ : delimiter;
  return list.split(separator).filter((root) => root !== '');
}
