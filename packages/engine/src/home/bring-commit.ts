/**
 * Puts a published commit into the folder of an index. Of some segments the field files have only
 * their first bytes here (segment/cool.ts); all other files are fetched whole. What the folder has
 * is not fetched again.
 */
import { join } from 'node:path';
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { eachOf } from '@lakehouse-search/lake/internal';
import {
  COMMIT_FILE,
  type Commit,
  commitOfBytes,
  readCommit,
  writeCommit,
} from '../index/commits/commit.ts';
import { generationAt } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import type { FileBlocks } from '../segment/cold-blocks.ts';
import { type ColdForm, coldAgain, type TwinEnds, writeCold } from '../segment/cool.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import type { Directory } from '../storage/directory.ts';
import { corrupt, type FileSeal } from '../storage/frame.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { BUNDLE_BLOCK } from './bundle.ts';
import type { PublishedCommit } from './chain.ts';
import { CommitFiles } from './commit-files.ts';
import { checkedPieces } from './file-source.ts';
import { keptFiles, sealedFiles } from './pinned-commit.ts';
import { REQUESTS_AT_ONCE } from './read-bundle.ts';
import type { Home } from './stored-json.ts';
import { isHere, writeMissing } from './write-pieces.ts';

/** An index folder that gets a published commit. */
export interface FilledFolder {
  readonly folder: string;
  readonly openDirectory: OpenDirectory;
  /**
   * Which bytes of a segment stay in the store; null: none. `former`: the commit of the generation
   * that is in force here; null: none.
   */
  readonly formOf: (
    next: Commit,
    former: Commit | null,
  ) => (entry: SegmentEntry) => ColdForm | null;
  /** Judges the commit before it is in force in its generation: throws to refuse it. */
  readonly accept?: (commit: Commit, directory: Directory) => void;
}

/**
 * Puts a commit in force in its generation. Returns it. Throws corrupt_index, disk_full,
 * interrupted, and as `inStore`.
 */
export async function bringCommit(
  home: Home,
  published: PublishedCommit,
  { folder, openDirectory, formOf, accept }: FilledFolder,
  { signal }: CallContext,
): Promise<Commit> {
  const { path } = generationAt(folder, published.generation);
  makeFolder(path);
  const directory = openDirectory(path);
  const former = readableCommit(directory);
  const stored = new CommitFiles(home, published, signal);
  await stored.openUnknown(former);
  const next = commitOfBytes(directory, (await stored.find(COMMIT_FILE)).opening);
  const isKept = keptFiles(directory, former);
  const write = async (name: string, seal: FileSeal): Promise<void> => {
    if (isKept(name, seal) || isHere(join(path, name), seal)) return;
    await fetchFile(stored, path, name, seal);
  };
  const revision = freeRevision(directory, next);
  const inForm = entriesInForm(
    directory,
    { isKept, former, revision },
    formOf(next, former),
    stored,
  );
  // segment by segment, so that no more of their bundles are in memory
  const segments = await eachOf(next.segments, REQUESTS_AT_ONCE, async (entry) => {
    const made = await inForm(entry);
    await eachOf(made.components, REQUESTS_AT_ONCE, (one) => write(one.file, one));
    return made;
  });
  const commit = { ...next, segments, next_revision: revision + 1 };
  const others = [...sealedFiles({ ...commit, segments: [] })];
  await eachOf(others, REQUESTS_AT_ONCE, ([name, seal]) => write(name, seal));
  accept?.(commit, directory);
  return writeCommit(directory, commit);
}

/** Fetches a file of a commit whole, unless it is there. Throws corrupt_index, disk_full. */
export async function fetchFile(
  stored: CommitFiles,
  folder: string,
  name: string,
  seal: FileSeal,
): Promise<void> {
  const { key, pieces } = await stored.find(name);
  const other = () =>
    corrupt(`${stored.place}/${key}`, `"${name}" is not the file that the commit names`);
  await writeMissing(join(folder, name), seal, checkedPieces(pieces(), seal, other));
}

/** Null if there is none, or none can be read. */
function readableCommit(directory: Directory): Commit | null {
  try {
    return readCommit(directory);
  } catch (error) {
    if (error instanceof LhsError) return null;
    throw error;
  }
}

/** A revision that no file has. */
function freeRevision(directory: Directory, { next_revision }: Commit): number {
  const numbers = directory.list().map((name) => Number(/^s\d+\..*\.(\d+)$/.exec(name)?.[1] ?? 0));
  return numbers.reduce((next, number) => Math.max(next, number + 1), next_revision);
}

interface Here {
  readonly isKept: ReturnType<typeof keptFiles>;
  readonly former: Commit | null;
  readonly revision: number;
}

/** Makes the entries of segments in their forms; those that are so here stay as they are. */
function entriesInForm(
  directory: Directory,
  { isKept, former, revision }: Here,
  formOf: ReturnType<FilledFolder['formOf']>,
  stored: CommitFiles,
): (entry: SegmentEntry) => Promise<SegmentEntry> {
  const isWhole = ({ components }: SegmentEntry) =>
    components.every((one) => isKept(one.file, one));
  const here = new Map(former?.segments.filter(isWhole).map((entry) => [entry.id, entry]));
  return async (entry) => {
    const form = formOf(entry);
    if (form === null) return entry;
    const again = coldAgain(entry, here.get(entry.id), stored);
    return again ?? coldEntry(directory, entry, { form, revision }, stored);
  };
}

async function coldEntry(
  directory: Directory,
  entry: SegmentEntry,
  { form, revision }: { readonly form: ColdForm; readonly revision: number },
  stored: CommitFiles,
): Promise<SegmentEntry> {
  const files = new Map<string, FileBlocks>();
  const ends = new Map<string, TwinEnds>();
  const cold = entry.components.filter((component) => form.isCold(component));
  await eachOf(cold, REQUESTS_AT_ONCE, async ({ file: name, kind, length }) => {
    const found = await stored.find(name);
    if (found.length !== length) throw corrupt(name, 'its length differs');
    files.set(name, found.blocks);
    ends.set(name, [await found.first(form.resident(kind, found.opening)), found.footer]);
  });
  if (files.size === 0) return entry;
  const { place } = stored;
  const into = { place, block: BUNDLE_BLOCK, files };
  return writeCold(directory, entry, into, { revision, form, ends: ({ file }) => ends.get(file)! });
}
