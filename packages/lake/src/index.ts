/** Tables: open, scan and write them. */
export { LhsError } from '@lakehouse-search/contract';
export { LakeError, type LakeErrorCode } from './base/errors.ts';
export { listTables, loadTable } from './catalog/load-table.ts';
export type { LoadOptions, TableCommit, TableHandle } from './catalog/table-handle.ts';
export type { DataFile, DeleteFile, FileScan, FileSet } from './metadata/file-set.ts';
export type { TableMetadata } from './metadata/table-metadata.ts';
export type { S3Config } from './objects/s3/s3-settings.ts';
export type { Batch, ColumnVector, Locator } from './scan/batch.ts';
export { valueAt } from './scan/vectors.ts';
export { schemaToJson, typeName } from './schema/schema-json.ts';
export {
  type DecimalType,
  type Field,
  type FixedType,
  type ListType,
  type MapType,
  MapValue,
  type PrimitiveKind,
  type PrimitiveType,
  type Schema,
  type StructType,
  type StructValue,
  type Type,
  type UnsupportedType,
  type Value,
  type VariantNode,
  VariantValue,
} from './schema/type.ts';
export { valueToJson } from './schema/value-json.ts';
export type * from './source-table.ts';
export { type OpenTableOptions, openTable } from './table.ts';
export type { ExpireOptions, ExpireResult } from './write/commit/expire-snapshots.ts';
export type { RefChange } from './write/commit/table-refs.ts';
export type { FollowOptions, FollowStep } from './write/follow/follow-file.ts';
export type { ImportOptions } from './write/import/import-files.ts';
export type { InputReading, WriteInput } from './write/input/input.ts';
export type { InputFormat, InputKind } from './write/input/input-files.ts';
export type {
  InputNote,
  ListsAsText,
  NearlyTyped,
  SkippedLines,
  TextNote,
  WideObjects,
} from './write/input/input-notes.ts';
export type { ReadingOptions } from './write/input/reading-options.ts';
export type { CompactOptions, CompactResult } from './write/rows/compact-table.ts';
export type { RowChanges, WriteResult } from './write/table-writer.ts';
export type { WriteProgress, WriteWatch } from './write/write-progress.ts';
export {
  appendRows,
  changeRows,
  compactTable,
  createTable,
  deleteRows,
  dropTable,
  dropTableRef,
  expireSnapshots,
  followFile,
  importFiles,
  setTableRef,
  upsertRows,
} from './write/writing.ts';
