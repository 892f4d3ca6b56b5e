import { delimiter } from 'node:path';
import type { LoadOptions } from './table-handle.ts';

/**
 * Options whose allowed roots are settled: the caller's, or those of LHS_ALLOWED_ROOTS (as PATH has
 * them).
 */
export function withAllowedRoots(options: LoadOptions): LoadOptions {
  if (options.allowedRoots !== undefined) return options;
  const listed = (options.env ?? process.env).LHS_ALLOWED_ROOTS ?? '';
  return { ...options, allowedRoots: listed.split(delimiter).filter((root) => root !== '') };
}
