import type { FollowOptions, FollowStep } from './follow/follow-file.ts';

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

/** Makes a table without a snapshot. Throws table_exists, invalid_argument. */
export const createTable = lazy(async () => (await writer()).writeTable);
/** Appends rows. Columns that they lack are null; columns that the table lacks are refused. */
export const appendRows = lazy(async () => (await writer()).appendToTable);
/** Deletes the rows of a SQL condition. */
export const deleteRows = lazy(async () => (await writer()).deleteFromTable);
/** Inserts rows whose key is new, and replaces the others, in one snapshot. */
export const upsertRows = lazy(async () => (await writer()).upsertIntoTable);
/** Upserts rows and deletes keys, in one snapshot. */
export const changeRows = lazy(async () => (await writer()).changeTableRows);
/** Rewrites small files as larger ones, and applies their deletes. */
export const compactTable = lazy(
  async () => (await import('./rows/compact-table.ts')).compactTableFiles,
);
/** Removes old snapshots, and the files that only they name. */
export const expireSnapshots = lazy(
  async () => (await import('./commit/expire-snapshots.ts')).expireTableSnapshots,
);
/** Makes or moves a tag or a branch. */
export const setTableRef = lazy(async () => (await import('./commit/table-refs.ts')).pointTableRef);
/** Removes a table from its catalog. */
export const dropTable = lazy(
  async () => (await import('../catalog/drop-table.ts')).dropFromCatalog,
);
/** Removes a tag or a branch. */
export const dropTableRef = lazy(
  async () => (await import('./commit/table-refs.ts')).removeTableRef,
);
/** Follows a text file, as `followTextFile`. */
export async function* followFile(options: FollowOptions): AsyncGenerator<FollowStep> {
  yield* (await import('./follow/follow-file.ts')).followTextFile(options);
}
/** Reads files into a table, new or existing. */
export const importFiles = lazy(
  async () => (await import('./import/import-files.ts')).importIntoTable,
);
