import { statSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import {
  builtAs,
  type Checkpoint,
  COMMIT_FILE,
  type Commit,
  type CommittedField,
  readCommit,
} from '../index/commits/commit.ts';
import { PinnedFiles } from '../index/commits/pins.ts';
import { lockHolder } from '../index/commits/writer-lock.ts';
import { IndexSnapshot, openSegments, openSnapshot } from '../index/index-snapshot.ts';
import type { RegisteredIndex } from '../registry/registry.ts';
import type { Definition } from '../schema/definition.ts';
import { type AnalyzerOf, createMapping, type Mapping } from '../schema/mapping.ts';
import { readStoredSchema } from '../schema/stored-schema.ts';
import type { Directory } from '../storage/directory.ts';
import { ioError } from '../storage/io-errors.ts';
import { Verification } from '../storage/verification.ts';
import { analyzersOf } from './definition-analyzers.ts';
import {
  currentGeneration,
  type Generation,
  type IndexLock,
  leftovers,
  type NamedGenerations,
  sweepGenerations,
  tryLock,
} from './index-folder.ts';

/**
 * Opens the folder of a generation. It calls `fence` before it replaces or removes anything there.
 */
export type OpenDirectory = (path: string, fence?: () => void) => Directory;

/** The definition under which a commit was written, by the version that the commit names. */
export type DefinitionOf = (version: number) => Definition;

/** An index of the registry with its folder and parsed definition. */
export interface KnownIndex {
  readonly registered: RegisteredIndex;
  readonly folder: string;
  readonly definition: Definition;
  readonly definitionOf: DefinitionOf;
}

/** An index at one commit with its mapping. `version` changes with every commit. */
export interface OpenIndex {
  readonly version: string;
  readonly snapshot: IndexSnapshot;
  readonly mapping: Mapping;
}

/** The live generations that were looked up last, by folder, and the CURRENT that named them. */
const lookedUp = new Map<string, { readonly current: string; readonly generation: Generation }>();
const MOST_LOOKED_UP = 1000;

/**
 * The live generation, or null before the first reindex. CURRENT is read only if it was replaced
 * since the last look. Throws corrupt_index.
 */
function liveGeneration(folder: string): Generation | null {
  const current = identityOf(join(folder, 'CURRENT'));
  const known = lookedUp.get(folder);
  if (known !== undefined && known.current === current) return known.generation;
  const generation = current === null ? null : currentGeneration(folder);
  if (current === null || generation === null) lookedUp.delete(folder);
  else {
    if (lookedUp.size === MOST_LOOKED_UP) lookedUp.clear();
    lookedUp.set(folder, { current, generation });
  }
  return generation;
}

/** What tells a file from the one that replaces it; null: there is none. Throws io_error. */
function identityOf(path: string): string | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? null : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  } catch (error) {
    throw ioError(error, 'look at', path);
  }
}

/**
 * What names the newest commit of a live generation, without reading it; null before the first
 * reindex.
 */
export function commitVersion(folder: string): string | null {
  const generation = liveGeneration(folder);
  if (generation === null) return null;
  const commit = identityOf(join(generation.path, COMMIT_FILE));
  return `${generation.number}:${commit ?? 'none'}`;
}

/**
 * Opens the newest commit of an index's live generation; fields and types are those that the index
 * was built with. What has not changed since `former`, which is open, is shared with it. Throws
 * index_not_built before the first reindex, corrupt_index.
 */
export function openIndex(
  folder: string,
  own: Pick<Definition, 'index' | 'storage'>,
  definitionOf: DefinitionOf,
  openDirectory: OpenDirectory,
  former?: IndexSnapshot,
): OpenIndex {
  for (let attempt = 1; ; attempt++) {
    const version = commitVersion(folder);
    const generation = currentGeneration(folder);
    if (version === null || generation === null) throw notBuilt(own);
    try {
      const snapshot = openSnapshot(openDirectory(generation.path), {
        generation: generation.number,
        former: former?.generation === generation.number ? former : undefined,
      });
      return withMapping(snapshot, version, definitionOf);
    } catch (error) {
      const replaced = currentGeneration(folder)?.number !== generation.number;
      if (!replaced || attempt === 5) throw error;
    }
  }
}

/**
 * Opens the newest commit of a kept generation with the definition that it follows. Throws
 * corrupt_index, io_error.
 */
export function openKept(
  { path, number }: Generation,
  definition: Definition,
  openDirectory: OpenDirectory,
): OpenIndex {
  const commit = () => identityOf(join(path, COMMIT_FILE));
  for (let attempt = 1; ; attempt++) {
    const before = commit();
    try {
      const snapshot = openSnapshot(openDirectory(path), { generation: number });
      return withMapping(snapshot, `kept:${number}:${before}`, () => definition);
    } catch (error) {
      if (commit() === before || attempt === 5) throw error;
    }
  }
}

/**
 * An open commit with the mapping that it was written under; released where it throws:
 * corrupt_index, index_not_built.
 */
export function withMapping(
  snapshot: IndexSnapshot,
  version: string,
  definitionOf: DefinitionOf,
): OpenIndex {
  try {
    const { commit } = snapshot;
    const mapping = mappingOfCommit(commit, definitionOf(commit.definition_version));
    return { version, snapshot, mapping };
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

/**
 * Opens a commit that is not in force yet, with a definition, and releases it. Throws
 * corrupt_index, index_not_built.
 */
export function requireReadable(directory: Directory, commit: Commit, definition: Definition) {
  const verification = new Verification(directory);
  const segments = openSegments(directory, commit, verification);
  const snapshot = new IndexSnapshot(0, commit, segments, verification);
  withMapping(snapshot, '', () => definition).snapshot.release();
}

/** What of a commit makes its mapping: all that a coordinator of other machines knows of it. */
type MappedCommit = Pick<Commit, 'fields' | 'key_numbers'> & {
  readonly checkpoint: Pick<Checkpoint, 'schema'> | null;
};

/** The mapping that a commit was written under. Throws corrupt_index, index_not_built. */
export function mappingOfCommit(commit: MappedCommit, definition: Definition): Mapping {
  const { checkpoint, fields } = commit;
  if (checkpoint === null) throw notBuilt(definition);
  const schema = readStoredSchema(checkpoint.schema);
  const analyzerOf = builtWith(fields, analyzersOf(definition.analyzers));
  return createMapping(definition, schema, tableName(definition), analyzerOf, builtAs(commit));
}

/**
 * Analyzers that refuse to analyse where the index was built with other stems: a search for its
 * terms would miss them without a word.
 */
function builtWith(fields: readonly CommittedField[], analyzerOf: AnalyzerOf): AnalyzerOf {
  const stems = new Map(fields.map((field) => [field.analyzer, field.stems]));
  return (name) => {
    const analyzer = analyzerOf(name);
    if (!stems.has(name) || stems.get(name) === analyzer.stems) return analyzer;
    const refuse = (): never => {
      throw new LhsError(
        'index_not_built',
        `the index was built with older stems of analyzer "${name}" ` +
          `(${stems.get(name) ?? 'snowball-2'}, now ${analyzer.stems ?? 'none'})`,
        { hint: 'a reindex builds it with the new ones', next: [{ step: 'reindex' }] },
      );
    };
    return { ...analyzer, analyze: refuse };
  };
}

/** The index has no generation yet; with `storage`, there may be one. */
export function notBuilt({ index, storage }: Pick<Definition, 'index' | 'storage'>): LhsError {
  const isPublished = storage !== undefined;
  const fetched = isPublished ? 'a sync fetches what is published, ' : '';
  return new LhsError('index_not_built', `index "${index}" has not been built yet`, {
    hint: `${fetched}a reindex builds it from its table`,
    next: [...(isPublished ? [{ step: 'sync', index } as const] : []), { step: 'reindex', index }],
  });
}

/** The table's name as messages show it. */
export function tableName({ source }: Definition): string {
  return 'table' in source ? source.table : source.path;
}

/**
 * Removes what dead processes left in an index's folder: generations that are neither live nor
 * `named`, and files in the live one that its commit does not name. Looks without the lock first: a
 * folder where nothing is left over is never locked, so that a search holds up no writer. Does
 * nothing while somebody writes the index, or where the folder cannot be written.
 */
export function sweepIndex(
  folder: string,
  openDirectory: OpenDirectory,
  now: number = Date.now(),
  named?: NamedGenerations,
): void {
  if (!exists(folder) || !hasLeftovers(folder, openDirectory, now, named)) return;
  const lock = lockForSweep(folder);
  if (lock === null) return;
  try {
    sweepGenerations(folder, now, named);
    const live = currentGeneration(folder);
    if (live !== null) {
      const directory = openDirectory(live.path, () => lock.assertHeld());
      for (const name of unnamedFiles(directory, now)) directory.remove(name);
    }
  } finally {
    lock.release();
  }
}

/** A folder that changes under this look has a writer: then the lock decides, not the error. */
function hasLeftovers(
  folder: string,
  openDirectory: OpenDirectory,
  now: number,
  named: NamedGenerations | undefined,
): boolean {
  const live = currentGeneration(folder);
  try {
    // A lock that is there is a living writer's, who is left alone, or a dead one's.
    if (leftovers(folder, now, named).length > 0 || lockHolder(folder) !== null) return true;
    return live !== null && unnamedFiles(openDirectory(live.path), now).length > 0;
  } catch (error) {
    if (error instanceof LhsError) return true;
    throw error;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function lockForSweep(folder: string): IndexLock | null {
  try {
    return tryLock(folder);
  } catch (error) {
    if (error instanceof LhsError && error.code === 'io_error') return null;
    throw error;
  }
}

/** Files that neither the newest commit of a generation nor a pin that holds names. */
export function unnamedFiles(directory: Directory, now: number): readonly string[] {
  const commit = readCommit(directory);
  return commit === null ? [] : new PinnedFiles(directory).unnamed(commit, now);
}
