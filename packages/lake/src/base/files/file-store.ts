import type { LakeErrorCode } from '../errors.ts';
import { type FolderEntries, localEntries, localStamp } from './folder-entries.ts';
import { readLocalFile } from './local-file.ts';
import { type NewFile, removeFiles, writeNewFile } from './new-files.ts';
import { type FileRole, openLocalFile, type RandomAccessFile } from './random-access-file.ts';
import { createExclusive } from './whole-files.ts';

/**
 * Where the files of a table are: a disk of this machine, or an object store. Paths are those that
 * `TableFiles.resolve` returns: absolute, or `s3://bucket/key`.
 */
export interface FileStore {
  /**
   * Opens a file for reads by range. Throws `data_file_missing` or `delete_file_missing` (by
   * `role`) if it cannot be opened, permission_denied.
   */
  open(path: string, role: FileRole): Promise<RandomAccessFile>;
  /** All bytes of a file. `missing` is the code if it is not there. Throws limit_exceeded. */
  read(path: string, missing: LakeErrorCode, maxBytes: number): Promise<Buffer>;
  /** What is in a folder; nothing if it is not there. */
  entries(folder: string): Promise<FolderEntries>;
  /** Names the version of a file: equal stamps mean the same bytes. null if there is no file. */
  stamp(path: string): Promise<string | null>;
  /**
   * Creates a file, which becomes visible whole. False if the name is taken. `isFirst`: of a new
   * table, whose store is tried. Throws permission_denied, disk_full, unsupported (a store that
   * ignores conditions).
   */
  create(path: string, text: string | Uint8Array, isFirst?: boolean): Promise<boolean>;
  /**
   * Writes a file under a new name, in the folders that it needs. Throws permission_denied,
   * disk_full.
   */
  write(path: string, content: NewFile, signal?: AbortSignal): Promise<void>;
  /** Removes files that no snapshot names. A file that is gone already is no error. */
  remove(paths: readonly string[]): Promise<void>;
  /** The local folder for what a write into `folder` has not finished. */
  workParent(folder: string): Promise<string>;
  /** Local copies for one scan; `signal` stops their making. */
  copies(signal?: AbortSignal): LocalCopies;
}

/**
 * Files of a store as local files, for a reader that opens paths (DuckDB). A path is known before
 * its bytes are there. Copies stay until they are released.
 */
export interface LocalCopies {
  /** The absolute local path that the copy of `path` has. */
  pathOf(path: string): Promise<string>;
  /**
   * Makes the copy of `path`, as `open` throws. False if the file is larger than all copies may be:
   * then it is read by range.
   */
  make(path: string, role: FileRole): Promise<boolean>;
  /** Deletes the copy of `path`; without a path those of all files. */
  release(path?: string): void;
}

const THEMSELVES: LocalCopies = Object.freeze({
  pathOf: async (path: string) => path,
  make: async () => true,
  release: () => {},
});

/** The file systems of this machine; a local file is its own copy. */
export const localFiles: FileStore = Object.freeze({
  open: openLocalFile,
  read: readLocalFile,
  entries: localEntries,
  stamp: localStamp,
  create: createExclusive,
  write: writeNewFile,
  remove: removeFiles,
  workParent: async (folder: string) => folder,
  copies: () => THEMSELVES,
});
