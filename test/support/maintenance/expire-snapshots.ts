import type { TableConfig } from '../../../packages/lake/src/source-table.ts';
import { expireTableSnapshots } from '../../../packages/lake/src/write/commit/expire-snapshots.ts';

/**
 * Forgets snapshots older than a moment (ms since 1970), except those that a branch or tag names.
 * Returns the forgotten ids. Files are left unless `deleteFiles` is true: a reader of an old
 * snapshot may be at work.
 */
export async function expireSnapshots(
  config: TableConfig,
  olderThanMs: number,
  { deleteFiles = false }: { readonly deleteFiles?: boolean } = {},
): Promise<readonly string[]> {
  const options = { olderThanMs, keepFiles: !deleteFiles };
  return (await expireTableSnapshots(config, options)).expired;
}
