/**
 * Operations on a table that no command performs: what other engines do to a table while an index
 * follows it.
 */
export { overwriteRows } from '../../../packages/lake/src/write/table-writer.ts';
export { cherryPick } from './cherry-pick.ts';
export { type CompactResult, compactTable } from './compact-table.ts';
export { deleteKeys } from './delete-keys.ts';
export { type ExpireOptions, expireSnapshots } from './expire-snapshots.ts';
export { changeColumns, dropRef, setProperties, setRef } from './maintain-table.ts';
export type { SchemaChange } from './schema-change.ts';
