import { resolve } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { Args } from '@oclif/core';

/** The place of backups as an argument. */
export const backupTargetArg = Args.string({
  ignoreStdin: true,
  description: 'folder or s3://bucket/prefix (the setting backup_target)',
});

/**
 * The `target` field of a request for the place that a person names. Absent if none is named: then
 * the setting decides. Throws invalid_argument for two places.
 */
export function targetField(
  place: string | undefined,
  other?: string | undefined,
): { readonly target?: string } {
  if (place !== undefined && other !== undefined) {
    throw new LhsError('invalid_argument', `two places: "${place}" and "${other}"`);
  }
  const named = place ?? other;
  return named === undefined ? {} : { target: absoluteTarget(named) };
}

/** A folder as an absolute path; a place in an object store as it is. */
export function absoluteTarget(place: string): string {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(place) ? place : resolve(place);
}
