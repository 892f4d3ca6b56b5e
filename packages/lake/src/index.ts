export { LakeError, type LakeErrorCode } from './base/errors.ts';
export type { DataFile, DeleteFile, FileScan, FileSet } from './metadata/file-set.ts';
export type { Batch, ColumnVector, Locator } from './scan/batch.ts';
export * from './schema/type.ts';
export type * from './source-table.ts';
