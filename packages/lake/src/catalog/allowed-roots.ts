import { delimiter } from 'node:path';
import type { TableConfig } from './config.ts';
import type { LoadOptions } from './table-handle.ts';

/**
 * Options whose allowed roots are settled: the caller's, or those of LHS_ALLOWED_ROOTS (as PATH has
 * them), and those of the catalog.
 */
export function withAllowedRoots(
  options: LoadOptions,
  config: Partial<Extract<TableConfig, { readonly catalog: unknown }>>,
): LoadOptions {
  const listed = (options.env ?? process.env).LHS_ALLOWED_ROOTS ?? '';
  const given = options.allowedRoots ?? listed.split(delimiter).filter((root) => root !== '');
  return { ...options, allowedRoots: [...given, ...(config.catalog?.allowed_roots ?? [])] };
}
