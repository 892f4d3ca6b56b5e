/**
 * Files in an index's folder that nobody needs: generations that are neither live, kept, staged nor
 * pinned; files of the live generation and of kept ones that neither their commit nor a pin names;
 * locks and drafts of dead processes; other files that have not been written for an hour.
 *
 * The write lock decides: its holder alone writes live and kept generations. Staged generations
 * belong to their jobs and are left alone, as are the caches of embeddings, which have a lock of
 * their own.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, ioError, systemCode } from '../storage/io-errors.ts';
import {
  currentGeneration,
  generationAt,
  generationNumbers,
  leftovers,
  type NamedGenerations,
} from './index-folder.ts';
import { type OpenDirectory, unnamedFiles } from './open-index.ts';

/** A file or folder that nobody needs. */
export interface Orphan {
  readonly path: string;
  readonly bytes: number;
}

/** What an index needs besides its live generation. */
export interface NeededGenerations {
  /** Numbers of all generations that the registry names. */
  readonly named: NamedGenerations;
  /** Numbers of the kept ones. */
  readonly kept: NamedGenerations;
}

/** A file of another name is left alone for this time after it was written. */
const UNKNOWN_AGE_MS = 3_600_000;
const OWN_NAME = /^(CURRENT(\.tmp)?|gen-\d{6,}|embeddings|writer\.lock(\..*)?)$/;

/** The orphans of an index. Lock holders only. Throws io_error, corrupt_index. */
export function findOrphans(
  folder: string,
  openDirectory: OpenDirectory,
  needed: NeededGenerations,
  now: number,
): readonly Orphan[] {
  const dead = leftovers(folder, now, needed.named);
  const used = usedGenerations(folder, needed.kept());
  const files = used.flatMap((path) =>
    unnamedFiles(openDirectory(path), now).map((name) => join(path, name)),
  );
  const all = [...dead, ...files, ...unknownFiles(folder, now)];
  return all.map((path) => ({ path, bytes: bytesOf(path) }));
}

/** Removes them. Lock holders only. Throws io_error. */
export function removeOrphans(orphans: readonly Orphan[]): void {
  for (const { path } of orphans) {
    attempt('remove', path, () => rmSync(path, { recursive: true, force: true }));
  }
}

/** Folders of the live generation and of the kept ones that are there. */
function usedGenerations(folder: string, kept: ReadonlySet<number>): readonly string[] {
  const live = currentGeneration(folder);
  const numbers = generationNumbers(folder).filter(
    (number) => kept.has(number) && number !== live?.number,
  );
  const paths = numbers.map((number) => generationAt(folder, number).path);
  return live === null ? paths : [live.path, ...paths];
}

function unknownFiles(folder: string, now: number): readonly string[] {
  return names(folder)
    .filter((name) => !OWN_NAME.test(name))
    .map((name) => join(folder, name))
    .filter((path) => now - writtenMs(path) > UNKNOWN_AGE_MS);
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw ioError(error, 'list', folder);
  }
}

const writtenMs = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;

/** Bytes of a file, or of the files in a folder; of one with several hard links none are freed. */
function bytesOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (stat.isDirectory()) {
    return names(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
  }
  return stat.nlink > 1 ? 0 : stat.size;
}
