import type { SourceFile } from '@lakehouse-search/contract';
import { normalizeRecorded } from '@lakehouse-search/lake';

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
   * The table for a commit with these files: the numbers of others are blank and can be reused.
   */
  at(files: readonly SourceFile[]): readonly string[];
}

/**
 * A file table that goes on from a commit's. Paths that name the same file (`file:/a`, `file:///a`)
 * have one number.
 */
export function createFileTable(known: readonly string[] = []): FileTable {
  const paths = [...known];
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
    at(files) {
      const live = new Set(files.map(({ path }) => numberOf(path)));
      return paths.map((path, i) => (live.has(i) ? path : ''));
    },
  };
}
