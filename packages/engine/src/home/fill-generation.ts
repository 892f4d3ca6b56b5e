import { existsSync, statSync } from 'node:fs';
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
import { encodeBlocks, type FileBlocks, readBlocks } from '../segment/cold-blocks.ts';
import { type Component, type SegmentEntry, writeComponent } from '../segment/entry.ts';
import { type Directory, writeFile, writeWithHole } from '../storage/directory.ts';
import { corrupt, FRAME_FOOTER_BYTES, readFramed } from '../storage/frame.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { BUNDLE_BLOCK, type BundleFile } from './bundle.ts';
import { bundleKey, type PublishedCommit } from './chain.ts';
import { sealedFiles } from './pinned-commit.ts';
import { REQUESTS_AT_ONCE, readEnd } from './read-bundle.ts';
import type { Home } from './stored-json.ts';
import { isHere } from './write-pieces.ts';

/** A file of a commit that is read in blocks. */
interface RemoteFile {
  readonly blocks: FileBlocks;
  readonly length: number;
  /** Bytes at its beginning that are on the local disk. */
  readonly resident: number;
}

/** An index folder that gets a published commit. */
export interface FilledFolder {
  readonly folder: string;
  readonly openDirectory: OpenDirectory;
  /** The published commit that is in the folder; its files are not fetched again. */
  readonly former?: PublishedCommit | null | undefined;
  /** Judges the commit before it is in force in its generation: throws to refuse it. */
  readonly accept?: (commit: Commit, directory: Directory) => void;
}

/**
 * Writes the generation of a published commit into an index folder: files that are read in blocks
 * have their first bytes and a hole. Returns the commit. Throws corrupt_index, disk_full,
 * interrupted, and as `inStore`.
 */
export async function fillGeneration(
  home: Home,
  published: PublishedCommit,
  { folder, openDirectory, former, accept }: FilledFolder,
  { signal }: CallContext,
): Promise<Commit> {
  const { path } = generationAt(folder, published.generation);
  makeFolder(path);
  const directory = openDirectory(path);
  const here = former?.generation === published.generation ? filesHere(directory, former) : NOTHING;
  const remote = new Map<string, RemoteFile>();
  let bytes: Uint8Array | null = null;
  await eachOf([...published.bundles.entries()], REQUESTS_AT_ONCE, async ([number, bundle]) => {
    const key = bundleKey(published.uuid, bundle);
    const names = Object.keys(published.files).filter((name) => published.files[name] === number);
    if (names.every((name) => here.keys.get(name) === key)) return;
    const { files, wholeFile } = await readEnd(home, published.uuid, bundle, signal);
    for (const file of files) {
      if (published.files[file.name] !== number) continue;
      if (file.name === COMMIT_FILE) bytes = wholeFile(file);
      else writeBundleFile(directory, file, () => wholeFile(file));
      if (file.resident !== null) remote.set(file.name, remoteFile(file, key));
    }
  });
  if (bytes === null) {
    throw corrupt(home.place, `commit ${published.number} has no file "${COMMIT_FILE}"`);
  }
  const commit = commitOfBytes(directory, bytes);
  const segments = commit.segments.map((entry) =>
    remoteEntry(directory, entry, { remote, here, place: home.place, revision: published.number }),
  );
  const read = { ...commit, segments };
  accept?.(read, directory);
  return writeCommit(directory, read);
}

const remoteFile = ({ offset, crcs, length, resident }: BundleFile, key: string): RemoteFile => ({
  blocks: { file: key, offset, crcs },
  length,
  resident: resident?.length ?? 0,
});

/** The files of a published commit that a folder has. */
interface FilesHere {
  /** The key of the bundle that each of them is from. */
  readonly keys: ReadonlyMap<string, string>;
  readonly remote: ReadonlyMap<string, RemoteFile>;
  /** By segment. */
  readonly lists: ReadonlyMap<string, ListedBlocks>;
}

/** The component `blocks` of a segment, and the number of files of which it has the blocks. */
interface ListedBlocks {
  readonly list: Component;
  readonly files: number;
}

const NOTHING: FilesHere = { keys: new Map(), remote: new Map(), lists: new Map() };

/** What a folder has whole; nothing if its commit or a list of blocks cannot be read. */
function filesHere(directory: Directory, former: PublishedCommit): FilesHere {
  try {
    const commit = readCommit(directory);
    if (commit === null) return NOTHING;
    return { keys: keysHere(directory, commit, former), ...blocksHere(directory, commit) };
  } catch (error) {
    if (error instanceof LhsError) return NOTHING;
    throw error;
  }
}

function keysHere({ path }: Directory, commit: Commit, former: PublishedCommit) {
  const keys = new Map<string, string>();
  for (const [name, { length }] of sealedFiles(commit)) {
    const bundle = former.bundles[former.files[name]];
    const size = statSync(join(path, name), { throwIfNoEntry: false })?.size;
    if (bundle !== undefined && size === length) keys.set(name, bundleKey(former.uuid, bundle));
  }
  return keys;
}

function blocksHere(directory: Directory, commit: Commit): Pick<FilesHere, 'remote' | 'lists'> {
  const remote = new Map<string, RemoteFile>();
  const lists = new Map<string, ListedBlocks>();
  for (const { id, components } of commit.segments) {
    const list = components.find(({ kind }) => kind === 'blocks');
    if (list === undefined) continue;
    const { files } = readBlocks({ bytes: readFramed(directory, list.file, 'blocks', list) });
    for (const { kind, field, file, length, resident } of components) {
      const blocks = files[`${kind}/${field}`];
      if (resident !== undefined) remote.set(file, { blocks, length, resident });
    }
    lists.set(id, { list, files: Object.keys(files).length });
  }
  return { remote, lists };
}

/**
 * Writes a file whole, or its first bytes and its footer with a hole between them, unless it is
 * there.
 */
function writeBundleFile(directory: Directory, file: BundleFile, bytes: () => Uint8Array): void {
  const { name, length, resident } = file;
  const footer = file.footer ?? bytes().subarray(-FRAME_FOOTER_BYTES);
  const path = join(directory.path, name);
  if (isHere(path, { length, crc: Buffer.from(footer).readUInt32LE() })) return;
  if (existsSync(path)) directory.remove(name);
  if (resident === null) writeFile(directory, name, (writer) => writer.write(bytes()));
  else writeWithHole(directory, name, length, [resident, footer]);
}

/** Which files of a commit the store has, and which of them the folder had before. */
interface CommitFiles {
  readonly remote: ReadonlyMap<string, RemoteFile>;
  readonly here: FilesHere;
  readonly place: string;
  readonly revision: number;
}

/** The entry of a segment with the files of which the store has the bytes. */
function remoteEntry(
  directory: Directory,
  entry: SegmentEntry,
  { remote, here, place, revision }: CommitFiles,
): SegmentEntry {
  const files: Record<string, FileBlocks> = {};
  let isNew = false;
  const components = entry.components.map((component): Component => {
    const { file: name, kind, field, length } = component;
    const file = remote.get(name) ?? here.remote.get(name);
    if (file === undefined) return component;
    if (file.length !== length) throw corrupt(name, 'its length differs');
    files[`${kind}/${field}`] = file.blocks;
    isNew ||= remote.has(name);
    return { ...component, resident: file.resident };
  });
  const count = Object.keys(files).length;
  if (count === 0) return entry;
  const former = here.lists.get(entry.id);
  const blocks =
    !isNew && former?.files === count
      ? former.list
      : writeBlocks(directory, entry.id, revision, files);
  return { ...entry, components: [...components, blocks], cold: { place, prefix: '' } };
}

function writeBlocks(
  directory: Directory,
  segment: string,
  number: number,
  files: Readonly<Record<string, FileBlocks>>,
): Component {
  const names = directory.list();
  let revision = number;
  while (names.includes(`${segment}.blocks.${revision}`)) revision++;
  return writeComponent(directory, segment, { kind: 'blocks', revision }, [
    encodeBlocks({ block: BUNDLE_BLOCK, files }),
  ]);
}
