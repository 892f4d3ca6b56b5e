/**
 * The writing operations as their callers know them. Each loads its code when it is first called:
 * most programs only read.
 */
type TableWriter = typeof import('./table-writer.ts');
type Maintenance = typeof import('./maintain-table.ts');
type Import = typeof import('./import-files.ts');
type CherryPick = typeof import('./cherry-pick.ts');
type Expiry = typeof import('./expire-snapshots.ts');
type Compaction = typeof import('./compact-table.ts');

const writer = () => import('./table-writer.ts');
const maintenance = () => import('./maintain-table.ts');

/** As in table-writer.ts. */
export const createTable: TableWriter['createTable'] = async (...given) =>
  (await writer()).createTable(...given);
/** As in table-writer.ts. */
export const appendRows: TableWriter['appendRows'] = async (...given) =>
  (await writer()).appendRows(...given);
/** As in table-writer.ts. */
export const overwriteRows: TableWriter['overwriteRows'] = async (...given) =>
  (await writer()).overwriteRows(...given);
/** As in table-writer.ts. */
export const deleteRows: TableWriter['deleteRows'] = async (...given) =>
  (await writer()).deleteRows(...given);
/** As in table-writer.ts. */
export const deleteKeys: TableWriter['deleteKeys'] = async (...given) =>
  (await writer()).deleteKeys(...given);
/** As in table-writer.ts. */
export const upsertRows: TableWriter['upsertRows'] = async (...given) =>
  (await writer()).upsertRows(...given);
/** As in compact-table.ts. */
export const compactTable: Compaction['compactTable'] = async (...given) =>
  (await import('./compact-table.ts')).compactTable(...given);
/** As in import-files.ts. */
export const importFiles: Import['importFiles'] = async (...given) =>
  (await import('./import-files.ts')).importFiles(...given);
/** As in maintain-table.ts. */
export const changeColumns: Maintenance['changeColumns'] = async (...given) =>
  (await maintenance()).changeColumns(...given);
/** As in maintain-table.ts. */
export const setRef: Maintenance['setRef'] = async (...given) =>
  (await maintenance()).setRef(...given);
/** As in maintain-table.ts. */
export const dropRef: Maintenance['dropRef'] = async (...given) =>
  (await maintenance()).dropRef(...given);
/** As in maintain-table.ts. */
export const setProperties: Maintenance['setProperties'] = async (...given) =>
  (await maintenance()).setProperties(...given);
/** As in expire-snapshots.ts. */
export const expireSnapshots: Expiry['expireSnapshots'] = async (...given) =>
  (await import('./expire-snapshots.ts')).expireSnapshots(...given);
/** As in cherry-pick.ts. */
export const cherryPick: CherryPick['cherryPick'] = async (...given) =>
  (await import('./cherry-pick.ts')).cherryPick(...given);
