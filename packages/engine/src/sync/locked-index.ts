import type { LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { ModelPlaces } from '../documents/vectors/models-in-use.ts';
import type { OpenEmbedder } from '../embed/embedder.ts';
import type { PublishCommit } from '../index/commits/commit.ts';
import type { Generation, IndexLock } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import type { Definition } from '../schema/definition.ts';
import type { FindStored } from '../segment/cool.ts';

/** An index whose lock is held, and its table. */
export interface LockedIndex {
  readonly folder: string;
  readonly definition: Definition;
  readonly definitionVersion: number;
  readonly table: SourceTable;
  readonly lock: WriteLock;
  readonly openDirectory: OpenDirectory;
  /** The folder from which the definition's relative paths are taken. */
  readonly baseDir: string;
  readonly openEmbedder: OpenEmbedder;
  /** Bytes of documents in memory before a flush. Default: as `rebuildIndex` and `SyncSession`. */
  readonly memoryBytes?: number | undefined;
  /** Absent: there are none. */
  readonly former?: FormerGenerations | undefined;
  /** Receives the end of merges. */
  readonly noteMerge?: NoteMerge | undefined;
  /** Milliseconds between partial commits of a build. Default: as `rebuildIndex`. */
  readonly saveMs?: number | undefined;
}

/** The right to write an index. */
export interface WriteLock extends Pick<IndexLock, 'assertHeld'> {
  /** Decides over commits of the live generation. Absent: they are in force at once. */
  readonly publish?: PublishCommit | undefined;
  /** Absent: the index is not published. */
  readonly find?: FindStored | undefined;
  /** Keys of the objects that the store has lost. Absent: the index is not published. */
  readonly lost?: (() => Promise<ReadonlySet<string>>) | undefined;
}

/** Notes why a merge failed; null: one succeeded. */
export type NoteMerge = (fault: Error | null) => void;

/** A former generation that is synced with the live one. */
export interface FormerGeneration {
  readonly generation: Generation;
  /** The definition that it follows. Throws corrupt_index. */
  readonly follows: () => Pick<LockedIndex, 'definition' | 'definitionVersion' | 'baseDir'>;
}

/** The former generations of an index that are synced with the live one. */
export interface FormerGenerations {
  /** Those that stay now. */
  readonly list: () => readonly FormerGeneration[];
  /** Notes why one could not be brought along; null: it was. */
  readonly note: (number: number, fault: LhsError | null) => void;
  /** Removes those whose time is over. */
  readonly sweep: () => void;
}

/** Where the models of an index's VECTOR fields are, and their caches. */
export function modelPlaces({
  folder,
  definition,
  baseDir,
  openEmbedder,
  lock,
}: Omit<LockedIndex, 'table'>): ModelPlaces {
  const fence = () => lock.assertHeld();
  return { index: definition.index, folder, baseDir, openEmbedder, fence };
}
