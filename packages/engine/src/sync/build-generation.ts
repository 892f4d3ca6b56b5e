import type { CallContext, ReindexResponse } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { ModelPlaces } from '../documents/models-in-use.ts';
import type { OpenEmbedder } from '../embed/embedder.ts';
import { bySize, inlineRunner, workerRunner } from '../index/merge-runners.ts';
import { analyzersOf } from '../open/definition-analyzers.ts';
import {
  currentGeneration,
  discardGeneration,
  freeBytes,
  type Generation,
  type IndexLock,
  promoteGeneration,
  stageGeneration,
  sweepGenerations,
} from '../open/index-folder.ts';
import { type OpenDirectory, tableName } from '../open/open-index.ts';
import type { Definition } from '../schema/definition.ts';
import { createMapping, type Mapping } from '../schema/mapping.ts';
import { fromSource } from '../source/source-errors.ts';
import { followedSnapshot, namedSnapshot } from '../source/source-table.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { requireRoom } from './disk-room.ts';
import { type RebuildResult, rebuildIndex } from './rebuild.ts';

/** An index whose lock is held, and its table. */
export interface LockedIndex {
  readonly folder: string;
  readonly definition: Definition;
  readonly definitionVersion: number;
  readonly table: SourceTable;
  readonly lock: IndexLock;
  readonly openDirectory: OpenDirectory;
  /** The folder from which the definition's relative paths are taken. */
  readonly baseDir: string;
  readonly openEmbedder: OpenEmbedder;
  /** Bytes of documents in memory before a flush. Default: as `rebuildIndex` and `SyncSession`. */
  readonly memoryBytes?: number | undefined;
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

/** The mapping of a definition over a table as it is now. Throws invalid_definition. */
export function mappingOver(definition: Definition, table: SourceTable): Mapping {
  const analyzerOf = analyzersOf(definition.analyzers);
  return createMapping(definition, table.schema, tableName(definition), analyzerOf);
}

/**
 * Builds a generation of the head (or of `asOf`, a snapshot id or ref) and makes it the live one.
 * Whatever fails before leaves the live one untouched and nothing behind. Throws disk_short when it
 * will not fit; `formerBytes` is the live generation's size.
 */
export async function buildGeneration(
  index: LockedIndex,
  asOf: string | undefined,
  formerBytes: number,
  work: CallContext & { readonly building?: (generation: number) => void },
): Promise<Omit<ReindexResponse, 'took_ms'>> {
  const { folder, definition, definitionVersion, table, lock, openDirectory } = index;
  if (liveNumber(folder) !== 'damaged') sweepGenerations(folder);
  const { ref } = definition.source;
  const snapshotId = asOf === undefined ? followedSnapshot(table, ref) : namedSnapshot(table, asOf);
  const mapping = mappingOver(definition, table);
  const set = await fromSource(() => table.files(snapshotId), work.signal);
  requireRoom(set, formerBytes, freeBytes(folder), folder, vectorBytes(mapping));
  const staged = stageGeneration(folder);
  try {
    work.building?.(staged.number);
    const directory = openDirectory(staged.path, () => lock.assertHeld());
    const models = modelPlaces(index);
    const here = inlineRunner(directory);
    const local = openDirectory === openLocalDirectory;
    const mergeRunner = local ? bySize(here, workerRunner({ aside: false })) : here;
    const generation = staged.number;
    const what = { table, mapping, directory, generation, snapshotId, definitionVersion, models };
    const built = await rebuildIndex({
      ...what,
      mergeRunner,
      memoryBytes: index.memoryBytes,
      ...work,
    });
    lock.assertHeld();
    promoteGeneration(folder, staged);
    if (isHeld(lock)) sweepGenerations(folder);
    return response(built, staged);
  } catch (error) {
    if (isHeld(lock) && liveNumber(folder) !== staged.number) discardGeneration(staged);
    throw error;
  }
}

/** Bytes that a row's vectors take in a segment, and in the cache of their model. */
function vectorBytes({ fields }: Mapping): number {
  return fields.reduce((sum, { plan: { vector } }) => {
    if (vector === undefined) return sum;
    return sum + 2 * vector.dims * (vector.model === null ? 1 : 2);
  }, 0);
}

/**
 * Whether the lock is still ours. Whoever has taken it over may have swept what we staged, and
 * staged a generation of the same number: nothing in the folder is ours to remove any more.
 */
function isHeld(lock: IndexLock): boolean {
  try {
    lock.assertHeld();
    return true;
  } catch (error) {
    if (error instanceof LhsError && error.code === 'index_busy') return false;
    throw error;
  }
}

/**
 * The live generation's number; a damaged pointer is no reason not to build: a new generation mends
 * it.
 */
function liveNumber(folder: string): number | null | 'damaged' {
  try {
    return currentGeneration(folder)?.number ?? null;
  } catch (error) {
    if (error instanceof LhsError && error.code === 'corrupt_index') return 'damaged';
    throw error;
  }
}

function response(built: RebuildResult, { number }: Generation): Omit<ReindexResponse, 'took_ms'> {
  const { commit, docs, bytes, droppedDuplicates, leftOut, vectors } = built;
  return {
    doc_count: docs,
    snapshot: commit.checkpoint?.snapshot_id ?? null,
    index_generation: number,
    bytes,
    ...(droppedDuplicates > 0 ? { dropped_duplicates: droppedDuplicates } : {}),
    ...(leftOut.size > 0 ? { untyped_values: Object.fromEntries(leftOut) } : {}),
    ...vectors,
  };
}
