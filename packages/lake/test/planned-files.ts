import type { DataFile, DeleteFile } from '../src/metadata/file-set.ts';

/** A data file of ten rows. */
export const dataFile = (path: string, over: Partial<DataFile> = {}): DataFile => ({
  path,
  format: 'parquet',
  specId: 0,
  partition: [],
  recordCount: 10,
  fileSize: 100,
  dataSequence: 5n,
  fileSequence: 5n,
  addedSnapshotId: 1n,
  firstRowId: null,
  lowerBounds: new Map(),
  upperBounds: new Map(),
  nullCounts: new Map(),
  valueCounts: new Map(),
  ...over,
});
const base = { specId: 0, partition: [], recordCount: 1, fileSize: 1, dataSequence: 5n };
/** A file of position deletes. */
export const position = (path: string, over: object = {}): DeleteFile =>
  ({
    ...base,
    path,
    kind: 'position',
    format: 'parquet',
    referencedDataFile: null,
    ...over,
  }) as DeleteFile;
/** A file of equality deletes by field 1. */
export const equality = (path: string, over: object = {}): DeleteFile =>
  ({ ...base, path, kind: 'equality', format: 'parquet', equalityIds: [1], ...over }) as DeleteFile;
/** A deletion vector of a data file. */
export const vector = (referencedDataFile: string, over: object = {}): DeleteFile =>
  ({
    ...base,
    path: 'dv.puffin',
    kind: 'vector',
    format: 'puffin',
    referencedDataFile,
    contentOffset: 4,
    contentSize: 40,
    ...over,
  }) as DeleteFile;
