import type { LakeErrorCode } from '../base/errors.ts';
import { type FileStore, type LocalCopies, localFiles } from '../base/file-store.ts';
import type { NewFile } from '../base/new-files.ts';
import { isS3, refuseOtherStores } from '../base/object-storage.ts';
import type { FileRole, RandomAccessFile } from '../base/random-access-file.ts';
import type { Environment, S3Config, VendedSettings } from './s3-settings.ts';

/** What decides where the files of a table are read. */
export interface FileAccess {
  readonly s3?: S3Config | undefined;
  readonly env?: Environment | undefined;
  /** Settings that a catalog sent for the table. */
  readonly vended?: VendedSettings | null;
}

/**
 * The files of a table, on local folders and on S3. What speaks to S3 is loaded when the first
 * `s3://` path is used.
 */
export function openFiles(access: FileAccess): FileStore {
  let opening: Promise<FileStore> | undefined;
  const objects = () => {
    opening ??= import('./s3-files.ts').then(({ s3Files }) => s3Files(access));
    return opening;
  };
  const storeOf = async (path: string): Promise<FileStore> => {
    refuseOtherStores(path);
    return isS3(path) ? objects() : localFiles;
  };
  return Object.freeze({
    open: async (path: string, role: FileRole): Promise<RandomAccessFile> =>
      isS3(path) ? (await storeOf(path)).open(path, role) : localFiles.open(path, role),
    read: async (path: string, missing: LakeErrorCode, maxBytes: number): Promise<Buffer> =>
      (await storeOf(path)).read(path, missing, maxBytes),
    entries: async (folder: string) => (await storeOf(folder)).entries(folder),
    stamp: async (path: string) => (await storeOf(path)).stamp(path),
    create: async (path: string, text: string | Uint8Array) =>
      (await storeOf(path)).create(path, text),
    write: async (path: string, content: NewFile, signal?: AbortSignal) =>
      (await storeOf(path)).write(path, content, signal),
    remove: async (paths: readonly string[]) => {
      for (const [onS3, some] of Map.groupBy(paths, isS3)) {
        await (onS3 ? await objects() : localFiles).remove(some);
      }
    },
    workParent: async (folder: string) => (await storeOf(folder)).workParent(folder),
    copies: (signal?: AbortSignal) => mixedCopies(objects, signal),
  });
}

/** Copies of files of which some are local. */
function mixedCopies(objects: () => Promise<FileStore>, signal?: AbortSignal): LocalCopies {
  let remote: Promise<LocalCopies> | undefined;
  const local = localFiles.copies();
  const copiesOf = async (path: string): Promise<LocalCopies> => {
    if (!isS3(path)) return local;
    remote ??= objects().then((store) => store.copies(signal));
    return remote;
  };
  return Object.freeze({
    pathOf: async (path: string) => (await copiesOf(path)).pathOf(path),
    make: async (path: string, role: FileRole) => (await copiesOf(path)).make(path, role),
    release: (path?: string) => void remote?.then((copies) => copies.release(path)),
  });
}
