/** What only our own packages use: files, processes, memory, object stores. No release keeps it. */
export { eachOf } from './base/each-of.ts';
export { makeFolder } from './base/files/new-files.ts';
export { openRegularFile, type RegularFile } from './base/files/regular-file.ts';
export { cannotFlush } from './base/files/sync-folder.ts';
export { normalizeRecorded } from './base/files/table-files.ts';
export { isObjectPath, isObjectStorage, objectAddress } from './base/object-storage.ts';
export { hasEnded, processMark } from './base/process-mark.ts';
export {
  controlGroupMemory,
  limitMemory,
  systemMemory,
  usableMemory,
} from './base/usable-memory.ts';
export { createFirst } from './objects/create-first.ts';
export type * from './objects/object-store.ts';
export { openObjectStore } from './objects/open-object-store.ts';
export { diffFileSets, type FileSetDiff } from './plan/diff-file-sets.ts';
export { fileSet } from './plan/file-set.ts';
export { refuseOrcFiles } from './plan/refuse-orc.ts';
export { selectRows, vectorKind } from './scan/vectors.ts';
export { isReadable, PRIMITIVE_KINDS, readableFields } from './schema/type.ts';
export { isNullMark } from './write/types/null-mark.ts';
