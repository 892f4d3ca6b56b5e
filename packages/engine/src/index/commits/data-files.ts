/**
 * The data files of a commit, by number: locators and skipped rows name a file by its number. A
 * commit contains the last numbers itself. Each 1,000 numbers before them are a page, a file that
 * is written again only if one of its data files has changed.
 */
import type { SourceFile } from '@lakehouse-search/contract';
import type { Directory } from '../../storage/directory.ts';
import { type FileSeal, readFramed, writeFramed } from '../../storage/frame.ts';
import { packJson, unpackJson } from '../../storage/packed-json.ts';

/** Numbers of a page. */
export const PAGE_FILES = 1000;
/** The name of a page. */
export const PAGE_FILE = /^files\.\d{6}\.\d+$/;

/** An entry of a data file in the table's manifests, with the deletes that have been applied. */
export type FileState = Omit<SourceFile, 'path'>;
/** A delete file of the table, or a deletion vector in one. */
export type DeleteRef = SourceFile['deletes'][number];

/** A data file of the table. */
export interface DataFile {
  /** As the table records it; '': a number that no document uses. */
  readonly path: string;
  /** Normally one; none in a partial commit whose documents lack the file. */
  readonly entries: readonly FileState[];
  /** Positions of rows without a document, ascending; absent: none. */
  readonly skipped?: readonly number[];
}

/** A number that no document uses. */
export const FREE_NUMBER: DataFile = Object.freeze({ path: '', entries: Object.freeze([]) });

/** The file of a page: its name, length and checksum. */
export interface PageFile extends FileSeal {
  readonly file: string;
}

/** Data files as JSON: `deletes` are numbers in the list of delete files. */
export interface StoredFiles {
  readonly deletes: readonly DeleteRef[];
  readonly files: readonly StoredFile[];
}

interface StoredFile {
  readonly path: string;
  readonly entries?: readonly {
    readonly records: number;
    readonly sequence: string;
    readonly deletes?: readonly number[];
  }[];
  readonly skipped?: readonly number[];
}

/** What a commit contains of its data files. */
export interface CommittedFiles {
  readonly pages: readonly PageFile[];
  readonly last: StoredFiles;
}

/** The data files of a full page. */
export interface FilePage {
  /** null: not written yet. */
  readonly stored: PageFile | null;
  /** Throws corrupt_index. */
  files(): readonly DataFile[];
  /** Reads the file, so that it may be removed. Throws corrupt_index. */
  hold(): void;
}

/** The data files of a commit. Pages are read when they are needed. */
export class DataFiles {
  readonly pages: readonly FilePage[];
  readonly last: readonly DataFile[];

  constructor(pages: readonly FilePage[], last: readonly DataFile[]) {
    this.pages = pages;
    this.last = last;
  }

  /** Number of numbers. */
  get size(): number {
    return this.pages.length * PAGE_FILES + this.last.length;
  }

  /** A data file; `FREE_NUMBER` if there is no such number. Throws corrupt_index. */
  at(file: number): DataFile {
    const page = this.pages[Math.floor(file / PAGE_FILES)];
    const found =
      page?.files()[file % PAGE_FILES] ?? this.last[file - this.pages.length * PAGE_FILES];
    return found ?? FREE_NUMBER;
  }

  /** All by number. Throws corrupt_index. */
  all(): readonly DataFile[] {
    return [...this.pages.flatMap((page) => page.files()), ...this.last];
  }

  /** Paths by number. Throws corrupt_index. */
  paths(): readonly string[] {
    return this.all().map(({ path }) => path);
  }

  /** Reads all pages, so that their files may be removed. Throws corrupt_index. */
  hold(): void {
    for (const page of this.pages) page.hold();
  }
}

/** No data files. */
export const NO_FILES = new DataFiles([], []);

/** Data files by number. Pages of `former` that are the same are shared. Throws corrupt_index. */
export function dataFiles(all: readonly DataFile[], former: DataFiles = NO_FILES): DataFiles {
  const pages = Array.from({ length: Math.floor(all.length / PAGE_FILES) }, (_, i) => {
    const files = all.slice(i * PAGE_FILES, (i + 1) * PAGE_FILES);
    const before = former.pages[i];
    return before !== undefined && sameFiles(before.files(), files)
      ? before
      : heldPage(null, files);
  });
  return new DataFiles(pages, all.slice(pages.length * PAGE_FILES));
}

const heldPage = (stored: PageFile | null, files: readonly DataFile[]): FilePage => ({
  stored,
  files: () => files,
  hold: () => {},
});

/** Data files as a commit of this directory contains them; pages of `former` are shared. */
export function readFiles(
  directory: Directory,
  { pages, last }: CommittedFiles,
  former: DataFiles = NO_FILES,
): DataFiles {
  const shared = pages.map((stored, i) => {
    const before = former.pages[i];
    const same = before?.stored?.file === stored.file && before.stored.crc === stored.crc;
    return same ? before : storedPage(directory, stored);
  });
  return new DataFiles(shared, fromStored(last));
}

function storedPage(directory: Directory, stored: PageFile): FilePage {
  let bytes: Uint8Array | null = null;
  let files: readonly DataFile[] | null = null;
  const read = () => readFramed(directory, stored.file, 'files', stored);
  return {
    stored,
    hold: () => {
      if (files === null) bytes ??= read();
    },
    files: () => {
      if (files !== null) return files;
      files = unpackJson(bytes ?? read(), `${directory.path}/${stored.file}`, fromStored);
      bytes = null;
      return files;
    },
  };
}

/** Writes the pages that are not stored yet; their names end in `number`. Throws disk_full, … */
export function writePages(directory: Directory, files: DataFiles, number: number): DataFiles {
  const pages = files.pages.map((page, i) => {
    if (page.stored !== null) return page;
    const file = `files.${String(i).padStart(6, '0')}.${number}`;
    const parts = [packJson(toStored(page.files()))];
    return heldPage({ file, ...writeFramed(directory, file, 'files', parts) }, page.files());
  });
  return new DataFiles(pages, files.last);
}

/** What a commit contains of data files: all of them if a page is not stored. */
export function committedFiles(files: DataFiles): CommittedFiles {
  const pages = files.pages.flatMap(({ stored }) => stored ?? []);
  if (pages.length < files.pages.length) return { pages: [], last: toStored(files.all()) };
  return { pages, last: toStored(files.last) };
}

function toStored(files: readonly DataFile[]): StoredFiles {
  const deletes: DeleteRef[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (ref: DeleteRef) => {
    const name = deleteName(ref);
    const known = numbers.get(name) ?? deletes.push(ref) - 1;
    numbers.set(name, known);
    return known;
  };
  const stored = files.map(({ path, entries, skipped }) => ({
    path,
    ...(entries.length > 0 && {
      entries: entries.map(({ records, sequence, deletes: applied }) => ({
        records,
        sequence,
        ...(applied.length > 0 && { deletes: applied.map(numberOf) }),
      })),
    }),
    ...(skipped !== undefined && { skipped }),
  }));
  return { deletes, files: stored };
}

function fromStored({ deletes, files }: StoredFiles): readonly DataFile[] {
  return files.map(({ path, entries = [], skipped }) => ({
    path,
    entries: entries.map(({ records, sequence, deletes: applied = [] }) => ({
      records,
      sequence,
      deletes: applied.map((number) => deletes[number]),
    })),
    ...(skipped !== undefined && { skipped }),
  }));
}

/** What tells a delete file or deletion vector from others. */
export const deleteName = ({ path, offset, length }: DeleteRef): string =>
  `${offset ?? ''}:${length ?? ''}:${path}`;

function sameFiles(a: readonly DataFile[], b: readonly DataFile[]): boolean {
  return a === b || (a.length === b.length && a.every((file, i) => sameFile(file, b[i])));
}

function sameFile(a: DataFile, b: DataFile): boolean {
  const { skipped: x = [] } = a;
  const { skipped: y = [] } = b;
  return (
    a.path === b.path &&
    a.entries.length === b.entries.length &&
    x.length === y.length &&
    a.entries.every((state, i) => sameState(state, b.entries[i])) &&
    x.every((position, i) => position === y[i])
  );
}

/** Delete files are compared in their order: another order writes a page again, no more. */
const sameState = (a: FileState, b: FileState): boolean =>
  a.records === b.records &&
  a.sequence === b.sequence &&
  a.deletes.length === b.deletes.length &&
  a.deletes.every((ref, i) => deleteName(ref) === deleteName(b.deletes[i]));
