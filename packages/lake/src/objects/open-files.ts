import type { LakeErrorCode } from '../base/errors.ts';
import { type FileStore, type LocalCopies, localFiles } from '../base/files/file-store.ts';
import type { NewFile } from '../base/files/new-files.ts';
import type { FileRole } from '../base/files/random-access-file.ts';
import { refuseOtherStores, type StoreKind, storeKind } from '../base/object-storage.ts';
import type { FileAccess } from './buckets.ts';
import { CopyCache, copyCacheSettings } from './copy-cache.ts';
import { ObjectFiles } from './object-files.ts';
import { openBuckets } from './open-buckets.ts';

export type { FileAccess } from './buckets.ts';

/** The stores of a table's files by kind; undefined: local folders. */
type StoreOf = (kind: StoreKind | undefined) => Promise<FileStore>;

/**
 * The files of a table, on local folders and on object stores. What speaks to a store is loaded
 * when its first path is used.
 */
export function openFiles(access: FileAccess): FileStore {
  const opened = new Map<StoreKind, Promise<FileStore>>();
  const ofKind: StoreOf = async (kind) => {
    if (kind === undefined) return localFiles;
    const opening = opened.get(kind) ?? openStore(kind, access);
    opened.set(kind, opening);
    return opening;
  };
  const storeOf = (path: string): Promise<FileStore> => {
    refuseOtherStores(path);
    return ofKind(storeKind(path));
  };
  return Object.freeze({
    open: async (path: string, role: FileRole) => (await storeOf(path)).open(path, role),
    read: async (path: string, missing: LakeErrorCode, maxBytes: number): Promise<Buffer> =>
      (await storeOf(path)).read(path, missing, maxBytes),
    entries: async (folder: string) => (await storeOf(folder)).entries(folder),
    stamp: async (path: string) => (await storeOf(path)).stamp(path),
    create: async (path: string, text: string | Uint8Array, isFirst?: boolean) =>
      (await storeOf(path)).create(path, text, isFirst),
    write: async (path: string, content: NewFile, signal?: AbortSignal) =>
      (await storeOf(path)).write(path, content, signal),
    remove: async (paths: readonly string[]) => {
      for (const [kind, some] of Map.groupBy(paths, storeKind)) {
        await (await ofKind(kind)).remove(some);
      }
    },
    workParent: async (folder: string) => (await storeOf(folder)).workParent(folder),
    copies: (signal?: AbortSignal) => mixedCopies(ofKind, signal),
  });
}

async function openStore(kind: StoreKind, access: FileAccess): Promise<FileStore> {
  const cache = new CopyCache(copyCacheSettings(access.env ?? process.env));
  return new ObjectFiles(await openBuckets(kind, access), cache);
}

/** Copies of files of which some are local. */
function mixedCopies(ofKind: StoreOf, signal?: AbortSignal): LocalCopies {
  const made = new Map<StoreKind | undefined, Promise<LocalCopies>>();
  const copiesOf = (path: string): Promise<LocalCopies> => {
    const kind = storeKind(path);
    const copies = made.get(kind) ?? ofKind(kind).then((store) => store.copies(signal));
    made.set(kind, copies);
    return copies;
  };
  return Object.freeze({
    pathOf: async (path: string) => (await copiesOf(path)).pathOf(path),
    make: async (path: string, role: FileRole) => (await copiesOf(path)).make(path, role),
    release: (path?: string) => {
      const some = path === undefined ? [...made.values()] : [made.get(storeKind(path))];
      for (const copies of some) copies?.then((own) => own.release(path)).catch(() => {});
    },
  });
}
