import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tablePath } from '../../../../../test/support/shared-tables.ts';

/** Metadata files of a shared table by age, oldest first. */
export function metadataFiles(name: string): readonly string[] {
  const folder = join(tablePath(name), 'metadata');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.metadata.json') && !file.includes('.gz.'))
    .sort((a, b) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b)));
}

/**
 * Which of the tables a brief run follows through their states (metadata files) instead of through
 * their snapshots: every other one that has enough states.
 */
export const goesByStates = (name: string, at: number): boolean =>
  at % 2 === 1 && metadataFiles(name).length > 3;
