import type { FollowOptions, FollowStep } from './follow-file.ts';

/**
 * The writing operations of the package. Each loads its code at its first call: most programs only
 * read.
 */
const writer = () => import('./table-writer.ts');

/** An operation whose module is loaded at the first call. */
function lazy<Args extends unknown[], Result>(
  load: () => Promise<(...args: Args) => Promise<Result>>,
): (...args: Args) => Promise<Result> {
  return async (...args) => (await load())(...args);
}

export const createTable = lazy(async () => (await writer()).writeTable);
export const appendRows = lazy(async () => (await writer()).appendToTable);
export const deleteRows = lazy(async () => (await writer()).deleteFromTable);
export const upsertRows = lazy(async () => (await writer()).upsertIntoTable);
export const changeRows = lazy(async () => (await writer()).changeTableRows);
export const compactTable = lazy(
  async () => (await import('./compact-table.ts')).compactTableFiles,
);
export const expireSnapshots = lazy(
  async () => (await import('./expire-snapshots.ts')).expireTableSnapshots,
);
export const setTableRef = lazy(async () => (await import('./table-refs.ts')).pointTableRef);
export const dropTable = lazy(
  async () => (await import('../catalog/drop-table.ts')).dropFromCatalog,
);
export const dropTableRef = lazy(async () => (await import('./table-refs.ts')).removeTableRef);
/** Follows a text file, as `followTextFile`. */
export async function* followFile(options: FollowOptions): AsyncGenerator<FollowStep> {
  yield* (await import('./follow-file.ts')).followTextFile(options);
}
export const importFiles = lazy(async () => (await import('./import-files.ts')).importIntoTable);
