import type { CallContext } from '@lakehouse-search/contract';
import { eachOf } from '@lakehouse-search/lake/internal';
import { type Commit, readCommit, writeCommit } from '../index/commits/commit.ts';
import { generationAt } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import { encodeBlocks, type FileBlocks } from '../segment/cold-blocks.ts';
import { type Component, type SegmentEntry, writeComponent } from '../segment/entry.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { inStore } from '../source/store-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { corrupt, FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { BUNDLE_BLOCK, type BundleFile, type BundleRef, checkFile, readOpening } from './bundle.ts';
import {
  bundleKey,
  bundlePrefix,
  type Home,
  type PublishedCommit,
  replacedMeanwhile,
} from './chain.ts';

/** One request reads at most so many bytes; so many run at a time. */
const REQUEST_BYTES = 8 * 2 ** 20;
const REQUESTS_AT_ONCE = 24;

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
    const key = bundleKey(published.uuid, bundle.object);
    const place = `${home.place}/${key}`;
    const end = await readSpan(home, key, bundle.whole, bundle.size - bundle.whole, signal);
    const opening = end.subarray(bundle.opening - bundle.whole);
    for (const file of readOpening(opening, bundle, place)) {
      if (published.files[file.name] !== number) continue;
      writeFile(directory, file, bundle, end, place);
      if (file.resident !== null) remote.set(file.name, { ...file, object: bundle.object });
    }
  });
  const commit = readCommit(directory);
  if (commit === null) throw corrupt(home.place, `commit ${published.number} has no file "commit"`);
  const cold = { place: home.place, prefix: bundlePrefix(published.uuid) };
  const segments = commit.segments.map((entry) => remoteEntry(directory, entry, remote, cold));
  const read = { ...commit, segments };
  writeCommit(directory, read);
  return read;
}

/** Bytes of an object, by several requests at a time. */
async function readSpan(
  { store, place }: Home,
  key: string,
  from: number,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const target = Buffer.allocUnsafeSlow(bytes);
  const offsets = Array.from(
    { length: Math.ceil(bytes / REQUEST_BYTES) },
    (_, i) => i * REQUEST_BYTES,
  );
  await eachOf(offsets, REQUESTS_AT_ONCE, async (at) => {
    refuseAborted(signal);
    const span = { offset: from + at, length: Math.min(REQUEST_BYTES, bytes - at) };
    const got = await inStore(() => store.get(key, { span, maxBytes: span.length, signal }));
    if (typeof got === 'string') throw replacedMeanwhile(place);
    if (got.bytes.length !== span.length) throw corrupt(`${place}/${key}`, 'it is cut');
    target.set(got.bytes, at);
  });
  return target;
}

/** Writes a file whole, or its first bytes and its footer with a hole between them. */
function writeFile(
  directory: Directory,
  file: BundleFile,
  { whole }: BundleRef,
  end: Buffer,
  place: string,
): void {
  const { name, offset, length, resident, footer } = file;
  const writer = directory.create(name);
  try {
    if (resident === null || footer === null) {
      const bytes = end.subarray(offset - whole, offset - whole + length);
      checkFile(file, bytes, place);
      writer.write(bytes);
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
