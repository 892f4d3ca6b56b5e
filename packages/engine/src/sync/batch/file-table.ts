import type { SourceFile } from '@lakehouse-search/contract';
import { normalizeRecorded } from '@lakehouse-search/lake/internal';
import {
  type DataFile,
  type DataFiles,
  dataFiles,
  deleteName,
  type FileState,
  FREE_NUMBER,
  NO_FILES,
} from '../../index/commits/data-files.ts';
import type { SkippedRows } from './skipped-rows.ts';

/** Numbers of data files, as locators name them: a commit's `files`, growing. */
export interface FileTable {
  /** The number of a path; a new path gets the next number. */
  numberOf(path: string): number;
  /** The number of a path, or null where it has none. */
  known(path: string): number | null;
  /** Data sequence number of a file, for rows that share a key; 0 where it is not known. */
  sequenceOf(file: number): bigint;
  pathOf(file: number): string;
  /** Takes the files of a table state in: numbers and sequence numbers. */
  follow(files: readonly SourceFile[]): void;
  /**
   * The data files of a commit with these entries: the numbers of others are free. `complete`: the
   * paths whose rows the commit contains; default: all.
   */
  at(
    sources: readonly SourceFile[],
    skipped: SkippedRows,
    complete?: ReadonlySet<string>,
  ): DataFiles;
}

/**
 * A file table that goes on from a commit's. Paths that name the same file (`file:/a`, `file:///a`)
 * have one number.
 */
export function createFileTable(known: DataFiles = NO_FILES): FileTable {
  const paths = [...known.paths()];
  const numbers = new Map<string, number>();
  const blank: number[] = [];
  paths.forEach((path, i) => {
    if (path === '') blank.push(i);
    else numbers.set(normalizeRecorded(path), i);
  });
  const sequences = new Map<number, bigint>();
  const numberOf = (path: string) => {
    const name = normalizeRecorded(path);
    let number = numbers.get(name);
    if (number === undefined) {
      number = blank.pop() ?? paths.length;
      paths[number] = path;
      numbers.set(name, number);
    }
    return number;
  };
  return {
    numberOf,
    known: (path) => numbers.get(normalizeRecorded(path)) ?? null,
    sequenceOf: (file) => sequences.get(file) ?? 0n,
    pathOf: (file) => paths[file],
    follow(files) {
      for (const { path, sequence } of files) sequences.set(numberOf(path), BigInt(sequence));
    },
    at(sources, skipped, complete) {
      const files: DataFile[] = paths.map(() => FREE_NUMBER);
      for (const { path, ...state } of sources) {
        const number = numberOf(path);
        const { entries: others } = files[number] ?? FREE_NUMBER;
        const own = complete?.has(path) === false ? [] : [sorted(state)];
        const entries = [...others, ...own];
        files[number] = { path: paths[number], entries, ...skipped.at(number) };
      }
      return dataFiles(files, known);
    },
  };
}

/** The order of deletes does not matter: in one order, unchanged pages are found. */
function sorted(state: FileState): FileState {
  if (state.deletes.length < 2) return state;
  const deletes = state.deletes.toSorted((a, b) => (deleteName(a) < deleteName(b) ? -1 : 1));
  return { ...state, deletes };
}
