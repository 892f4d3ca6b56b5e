import type { CallContext } from '@lakehouse-search/contract';
import { eachOf } from '@lakehouse-search/lake/internal';
import { type Commit, readCommit, writeCommit } from '../index/commits/commit.ts';
import { generationAt } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import { encodeBlocks, type FileBlocks } from '../segment/cold-blocks.ts';
import { type Component, type SegmentEntry, writeComponent } from '../segment/entry.ts';
import type { Directory } from '../storage/directory.ts';
import { corrupt, FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { BUNDLE_BLOCK, type BundleFile } from './bundle.ts';
import { bundleKey, type Home, type PublishedCommit } from './chain.ts';
import { REQUESTS_AT_ONCE, readEnd } from './read-bundle.ts';

/** A file of a commit that is read in blocks, and the bundle that has it. */
interface RemoteFile extends BundleFile {
  readonly object: string;
}

/**
 * Writes the generation of a published commit into an index folder: files that are read in blocks
 * have their first bytes and a hole. Returns the commit. Throws corrupt_index, disk_full,
 * interrupted, and as `inStore`.
 */
export async function fillGeneration(
  home: Home,
  published: PublishedCommit,
  { folder, openDirectory }: { readonly folder: string; readonly openDirectory: OpenDirectory },
  { signal }: CallContext,
): Promise<Commit> {
  const { path } = generationAt(folder, published.generation);
  makeFolder(path);
  const directory = openDirectory(path);
  const remote = new Map<string, RemoteFile>();
  await eachOf([...published.bundles.entries()], REQUESTS_AT_ONCE, async ([number, bundle]) => {
    const key = bundleKey(published.uuid, bundle);
    const { files, wholeFile } = await readEnd(home, published.uuid, bundle, signal);
    for (const file of files) {
      if (published.files[file.name] !== number) continue;
      writeFile(directory, file, () => wholeFile(file));
      if (file.resident !== null) remote.set(file.name, { ...file, object: key });
    }
  });
  const commit = readCommit(directory);
  if (commit === null) throw corrupt(home.place, `commit ${published.number} has no file "commit"`);
  const cold = { place: home.place, prefix: '' };
  const segments = commit.segments.map((entry) => remoteEntry(directory, entry, remote, cold));
  const read = { ...commit, segments };
  writeCommit(directory, read);
  return read;
}

/** Writes a file whole, or its first bytes and its footer with a hole between them. */
function writeFile(
  directory: Directory,
  { name, length, resident, footer }: BundleFile,
  bytes: () => Uint8Array,
): void {
  const writer = directory.create(name);
  try {
    if (resident === null || footer === null) {
      writer.write(bytes());
    } else {
      writer.write(resident);
      writer.skip(length - FRAME_FOOTER_BYTES - resident.length);
      writer.write(footer);
    }
    writer.finish();
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/** The entry of a segment with the files of which the store has the bytes. */
function remoteEntry(
  directory: Directory,
  entry: SegmentEntry,
  remote: ReadonlyMap<string, RemoteFile>,
  cold: NonNullable<SegmentEntry['cold']>,
): SegmentEntry {
  const lists: Record<string, FileBlocks> = {};
  const components = entry.components.map((component): Component => {
    const file = remote.get(component.file);
    if (file === undefined) return component;
    if (file.length !== component.length) throw corrupt(component.file, 'its length differs');
    const { object, offset, crcs, resident } = file;
    lists[`${component.kind}/${component.field}`] = { file: object, offset, crcs };
    return { ...component, resident: resident?.length ?? 0 };
  });
  if (Object.keys(lists).length === 0) return entry;
  const blocks = writeComponent(directory, entry.id, { kind: 'blocks' }, [
    encodeBlocks({ block: BUNDLE_BLOCK, files: lists }),
  ]);
  return { ...entry, components: [...components, blocks], cold };
}
