/**
 * Moves a window between the tiers. Cooling: copy each field file to the store, read it back, write
 * the twins, commit. Warming: fetch and check each file, commit. The commit is the moment at which
 * the tier changes; before it nothing is visible, and the objects of a crashed transition are used
 * again by the next one. Objects that nothing names are removed by `sweepObjects`.
 */
import type { CallContext } from '@lakehouse-search/contract';
import { extendCrc } from '../base/bytes/extend-crc.ts';
import { requireCommit } from '../index/commits/commit.ts';
import { IndexWriter } from '../index/index-writer.ts';
import { storedPlans } from '../index/merges/stored-plans.ts';
import { type ColdPlace, hotEntry, WINDOW_FORM, writeCold } from '../segment/cool.ts';
import { type Component, frameKind, type SegmentEntry } from '../segment/entry.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { inStore } from '../source/store-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { corrupt, FRAME_FOOTER_BYTES, openFramed, verifyFramed } from '../storage/frame.ts';
import { objectOf } from './cold-objects.ts';
import { readObject, storeOf } from './fetch-blocks.ts';

/** A generation whose index is locked, but for `copyAhead`. */
export interface TierWork {
  readonly directory: Directory;
  readonly signal?: AbortSignal | undefined;
  /** Receives the bytes of each file that was copied. */
  readonly copied: (bytes: number) => void;
  /** Keys of objects that were copied and read back before the index was locked. */
  readonly ahead?: ReadonlySet<string> | undefined;
}

const PIECE_BYTES = 8 * 2 ** 20;

/** Bytes that a move of a segment into the other tier copies. */
const bytesToMove = (entry: SegmentEntry): number =>
  movedFiles(entry).reduce((sum, { length }) => sum + length, 0);

const movedFiles = (entry: SegmentEntry, form = WINDOW_FORM): readonly Component[] =>
  entry.cold === undefined
    ? entry.components.filter(form.isCold)
    : entry.components.filter(({ resident }) => resident !== undefined);

/**
 * Counts copied bytes and reports them as progress of all segments together; `done` bytes were
 * copied before.
 */
export function copyFigures(entries: readonly SegmentEntry[], { progress }: CallContext, done = 0) {
  const bytes_total = entries.reduce((sum, entry) => sum + bytesToMove(entry), 0);
  const figures = {
    bytes: done,
    copied(bytes: number) {
      figures.bytes += bytes;
      const copied = { bytes_done: figures.bytes, bytes_total };
      progress?.({ phase: 'copying', docs_done: 0, docs_total: 0, ...copied });
    },
  };
  return figures;
}

/** Makes hot segments of the newest commit cold, with one commit. */
export async function coolSegments(
  work: TierWork,
  hot: readonly SegmentEntry[],
  cold: ColdPlace,
  form = WINDOW_FORM,
): Promise<void> {
  const { directory } = work;
  for (const component of hot.flatMap((entry) => movedFiles(entry, form)))
    await copyToStore(work, component, cold);
  await replacing(directory, (writer) => {
    for (const { id } of hot) {
      writer.replaceSegment(id, (entry, revision) =>
        writeCold(directory, entry, cold, revision, form),
      );
    }
  });
}

/**
 * Copies the files of hot segments to the store while others may write the index. Returns the keys
 * of the objects; a segment whose files a merge removed meanwhile is left out.
 */
export async function copyAhead(
  work: TierWork,
  hot: readonly SegmentEntry[],
  cold: ColdPlace,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const component of hot.flatMap((entry) => movedFiles(entry))) {
    refuseAborted(work.signal);
    if (!work.directory.list().includes(component.file)) continue;
    await copyToStore(work, component, cold);
    keys.push(cold.prefix + component.file);
  }
  return keys;
}

/** Makes cold segments of the newest commit hot, with one commit. */
export async function warmSegments(work: TierWork, cold: readonly SegmentEntry[]): Promise<void> {
  const { directory, copied } = work;
  // the writer is open first: it removes files that no commit names
  await replacing(directory, async (writer) => {
    const revision = writer.lastCommit.next_revision;
    const hotName = ({ file }: Component) => `${file}.${revision}`;
    const written: string[] = [];
    try {
      for (const entry of cold) {
        for (const component of movedFiles(entry)) {
          await fetchFile(work, entry, component, hotName(component));
          written.push(hotName(component));
          copied(component.length);
        }
      }
    } catch (error) {
      for (const name of written) directory.remove(name);
      throw error;
    }
    for (const { id } of cold) writer.replaceSegment(id, (entry) => hotEntry(entry, hotName));
  });
}

/** Replaces segments of the newest commit, with one commit that changes nothing else. */
async function replacing(
  directory: Directory,
  replace: (writer: IndexWriter) => void | Promise<void>,
): Promise<void> {
  const { checkpoint, files, ...commit } = requireCommit(directory);
  const writer = IndexWriter.open(directory, storedPlans({ checkpoint, files, ...commit }));
  try {
    await replace(writer);
    writer.commit({ checkpoint, files });
  } finally {
    writer.close();
  }
}

/** Copies a file to the store unless it is there, then reads it back unless that was done. */
async function copyToStore(
  { directory, signal, copied, ahead }: TierWork,
  component: Component,
  { place, prefix }: ColdPlace,
): Promise<void> {
  const framed = openFramed(directory, component.file, frameKind(component.kind), component);
  try {
    verifyFramed(framed);
    const key = prefix + component.file;
    const isThere = await inStore(async () => {
      const store = await storeOf(place);
      const there = await store.head(key, signal);
      const { bytes } = framed.file;
      if (there?.size === bytes.length) return true;
      await store.put(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { signal });
      return false;
    });
    if (isThere && ahead?.has(key) === true) return;
    const object = { place, key, length: component.length, window: null };
    await readWhole(object, component, signal, () => {});
    copied(component.length);
  } finally {
    framed.file.release();
  }
}

/** Writes the file of a cold component under a name, checked. */
async function fetchFile(
  { directory, signal }: TierWork,
  entry: SegmentEntry,
  component: Component,
  name: string,
): Promise<void> {
  const writer = directory.create(name);
  try {
    await readWhole(objectOf(entry, component), component, signal, (piece) => writer.write(piece));
    writer.finish();
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/** Reads an object in pieces and compares its CRC-32 with the commit's. Throws corrupt_index. */
async function readWhole(
  object: Parameters<typeof readObject>[0],
  { length, crc }: Component,
  signal: AbortSignal | undefined,
  take: (piece: Uint8Array) => void,
): Promise<void> {
  let sum = 0;
  for (let offset = 0; offset < length; offset += PIECE_BYTES) {
    refuseAborted(signal);
    const piece = await readObject(object, offset, Math.min(PIECE_BYTES, length - offset));
    // The footer, which has the sum, is not part of it.
    const end = Math.min(piece.length, length - FRAME_FOOTER_BYTES - offset);
    sum = extendCrc(sum, piece.subarray(0, Math.max(0, end)));
    take(piece);
  }
  if (sum !== crc) throw corrupt(`${object.place}/${object.key}`, 'its checksum differs');
}
