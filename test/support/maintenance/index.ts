/**
 * Operations on a table that no command performs: what other engines do to a table while an index
 * follows it.
 */
export { removeTableRef as dropRef } from '../../../packages/lake/src/write/commit/table-refs.ts';
export { overwriteRows } from '../../../packages/lake/src/write/table-writer.ts';
export { cherryPick } from './cherry-pick.ts';
export { deleteKeys } from './delete-keys.ts';
export { expireSnapshots } from './expire-snapshots.ts';
export { changeColumns, compactTable, setProperties, setRef } from './maintain-table.ts';
export type { SchemaChange } from './schema-change.ts';
