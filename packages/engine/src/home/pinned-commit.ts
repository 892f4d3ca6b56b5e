import { LhsError } from '@lakehouse-search/contract';
import type { Clock } from '../base/time/clock.ts';
import {
  COMMIT_FILE,
  type Commit,
  commitFileOf,
  filesOf,
  readCommit,
} from '../index/commits/commit.ts';
import { pinnedCommit } from '../index/commits/pins.ts';
import { generationAt } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import { pinIndex, releasePinnedIndex, renewPinnedIndex } from '../open/pinned-index.ts';
import { hotEntry } from '../segment/cool.ts';
import type { Directory } from '../storage/directory.ts';
import type { FileSeal } from '../storage/frame.ts';

/** Pins are renewed while a backup runs; those of a killed one expire. */
const PIN_MS = 600_000;
const ATTEMPTS = 20;

/** An index on disk, and how it is read. */
export interface IndexFiles {
  readonly index: string;
  readonly folder: string;
  readonly openDirectory: OpenDirectory;
  readonly clock: Clock;
}

/** A commit whose files stay until `release`. */
export interface CommitToCopy {
  readonly commit: Commit;
  /** The commit file's bytes. */
  readonly bytes: Uint8Array;
  readonly generation: number;
  /** The folder of the generation. */
  readonly folder: string;
  /** Keeps the files for ten minutes from now on. Throws index_busy if they may be gone. */
  renew(): void;
  release(): void;
}

/** Pins the newest commit of an index. Throws index_not_built, index_busy, limit_exceeded. */
export function pinForCopy({ index, folder, openDirectory, clock }: IndexFiles): CommitToCopy {
  for (let attempt = 1; ; attempt++) {
    const { generation, pin } = pinIndex({ folder, index }, openDirectory, PIN_MS, clock.now());
    const name = { generation, id: pin.id };
    const release = () => void releasePinnedIndex(folder, openDirectory, name);
    const { path } = generationAt(folder, generation);
    try {
      const directory = openDirectory(path);
      const commit = pinnedCommit(directory, pin.id, clock.now());
      const bytes = directory.read(COMMIT_FILE);
      // numbers only grow: if this is the newest commit now, the bytes are of it
      if (readCommit(directory)?.number === commit.number) {
        const renew = () => {
          try {
            renewPinnedIndex(folder, openDirectory, name, PIN_MS, clock.now());
          } catch (error) {
            throw (error as LhsError).code === 'not_found' ? stoodStill(index) : error;
          }
        };
        return { commit, bytes, generation, folder: path, renew, release };
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
    if (attempt === ATTEMPTS) {
      throw new LhsError('index_busy', `index "${index}" commits faster than it can be read`, {
        hint: 'try again',
      });
    }
  }
}

const stoodStill = (index: string): LhsError =>
  new LhsError('index_busy', `the copy of index "${index}" stood still for ten minutes`, {
    hint: 'try again',
  });

/** The files of a commit except itself, each with its length and checksum. */
export function sealedFiles(commit: Commit): ReadonlyMap<string, FileSeal> {
  const seals = new Map<string, FileSeal>();
  for (const { components } of commit.segments) {
    for (const { file, length, crc } of components) seals.set(file, { length, crc });
  }
  for (const { stored } of commit.files.pages) {
    if (stored !== null) seals.set(stored.file, { length: stored.length, crc: stored.crc });
  }
  for (const name of filesOf(commit)) {
    if (name === COMMIT_FILE || seals.has(name)) continue;
    throw new LhsError('internal', `the commit names "${name}" without length and checksum`);
  }
  return seals;
}

/** Tells which files of a commit a folder has with their lengths. */
export function keptFiles(directory: Directory, commit: Commit | null) {
  const names = new Set(directory.list());
  const seals: ReadonlyMap<string, FileSeal> = commit === null ? new Map() : sealedFiles(commit);
  return (name: string, { length, crc }: FileSeal): boolean =>
    seals.get(name)?.crc === crc && names.has(name) && directory.size(name) === length;
}

/** A commit as others get it, without cold windows: which bytes are here is this folder's matter. */
export const hotCommit = (commit: Commit): Commit => ({
  ...commit,
  segments: commit.segments.map((entry) => hotEntry(entry)),
});

/** A commit as `hotCommit` with its file. */
export function hotForm({
  commit,
  bytes,
}: Pick<CommitToCopy, 'commit' | 'bytes'>): Pick<CommitToCopy, 'commit' | 'bytes'> {
  if (commit.segments.every(({ cold }) => cold === undefined)) return { commit, bytes };
  const hot = hotCommit(commit);
  return { commit: hot, bytes: commitFileOf(hot) };
}
