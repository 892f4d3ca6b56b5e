export { LakeError, type LakeErrorCode } from './base/errors.ts';
export { makeFolder } from './base/new-files.ts';
export { isObjectStorage } from './base/object-storage.ts';
export { hasEnded, processMark } from './base/process-mark.ts';
export { openRegularFile, type RegularFile } from './base/regular-file.ts';
export { cannotFlush } from './base/sync-folder.ts';
export { normalizeRecorded } from './base/table-files.ts';
export {
  controlGroupMemory,
  limitMemory,
  systemMemory,
  usableMemory,
} from './base/usable-memory.ts';
export { listTables, loadTable } from './catalog/load-table.ts';
export type { LoadOptions, TableCommit, TableHandle } from './catalog/table-handle.ts';
export type { DataFile, DeleteFile, FileScan, FileSet } from './metadata/file-set.ts';
export type { TableMetadata } from './metadata/table-metadata.ts';
export type {
  ByteSpan,
  GetOptions,
  GotObject,
  ListOptions,
  ObjectBody,
  ObjectInfo,
  ObjectStore,
  PutOptions,
} from './objects/object-store.ts';
export { openObjectStore } from './objects/open-object-store.ts';
export type { S3Config } from './objects/s3-settings.ts';
export { diffFileSets, type FileSetDiff } from './plan/diff-file-sets.ts';
export { fileSet } from './plan/file-set.ts';
export { refuseOrcFiles } from './plan/refuse-orc.ts';
export type { Batch, ColumnVector, Locator } from './scan/batch.ts';
export { selectRows, valueAt, vectorKind } from './scan/vectors.ts';
export { schemaToJson, typeName } from './schema/schema-json.ts';
export * from './schema/type.ts';
export { valueToJson } from './schema/value-json.ts';
export type * from './source-table.ts';
export { type OpenTableOptions, openTable } from './table.ts';
export { decodeVariant } from './variant/decode.ts';
export { encodeVariant, type VariantBytes } from './variant/encode.ts';
export { nodeFromJson, variantFromJson } from './variant/from-json.ts';
export { nodeOfValue } from './variant/from-value.ts';
export type { CompactOptions, CompactResult } from './write/compact-table.ts';
export type { ExpireOptions, ExpireResult } from './write/expire-snapshots.ts';
export type { FollowOptions, FollowStep } from './write/follow-file.ts';
export type { ImportOptions } from './write/import-files.ts';
export type { InputReading, WriteInput } from './write/input.ts';
export type { InputFormat, InputKind } from './write/input-files.ts';
export type { InputNote, NearlyTyped, SkippedLines, WideObjects } from './write/input-notes.ts';
export { isNullMark } from './write/null-mark.ts';
export type { ReadingOptions } from './write/reading-options.ts';
export type { RefChange } from './write/table-refs.ts';
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
