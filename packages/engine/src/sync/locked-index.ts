import type { SourceTable } from '@lakehouse-search/lake';
import type { ModelPlaces } from '../documents/models-in-use.ts';
import type { OpenEmbedder } from '../embed/embedder.ts';
import type { IndexLock } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import type { Definition } from '../schema/definition.ts';

/** An index whose lock is held, and its table. */
export interface LockedIndex {
  readonly folder: string;
  readonly definition: Definition;
  readonly definitionVersion: number;
  readonly table: SourceTable;
  readonly lock: Pick<IndexLock, 'assertHeld'>;
  readonly openDirectory: OpenDirectory;
  /** The folder from which the definition's relative paths are taken. */
  readonly baseDir: string;
  readonly openEmbedder: OpenEmbedder;
  /** Bytes of documents in memory before a flush. Default: as `rebuildIndex` and `SyncSession`. */
  readonly memoryBytes?: number | undefined;
  /** Milliseconds between partial commits of a build. Default: as `rebuildIndex`. */
  readonly saveMs?: number | undefined;
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
