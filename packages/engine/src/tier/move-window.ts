/**
 * Moves a window between the tiers. Cooling: copy each field file to the store, read it back, write
 * the twins, commit. Warming: fetch and check each file, commit. The commit is the moment at which
 * the tier changes; before it nothing is visible, and the objects of a crashed transition are used
 * again by the next one. Objects that nothing names are removed by `sweepObjects`.
 */
import { crc32 } from 'node:zlib';
import type { CallContext } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import { type Commit, readCommit } from '../index/commit.ts';
import { IndexWriter } from '../index/index-writer.ts';
import { storedPlans } from '../index/stored-plans.ts';
import type { WindowStart } from '../schema/windows.ts';
import { type ColdPlace, coldComponents, hotEntry, writeCold } from '../segment/cool.ts';
import { type Component, frameKind, type SegmentEntry } from '../segment/entry.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { inStore } from '../source/store-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { corrupt, FRAME_FOOTER_BYTES, openFramed, verifyFramed } from '../storage/frame.ts';
import { readObject, storeOf } from './fetch-blocks.ts';

/** A generation whose index is locked. */
export interface TierWork extends CallContext {
  readonly directory: Directory;
}

const PIECE_BYTES = 8 * 2 ** 20;

/** Makes the hot segments of a window cold. Returns bytes that were copied. */
export async function coolWindow(
  work: TierWork,
  window: WindowStart,
  cold: ColdPlace,
  blockBytes?: number,
): Promise<number> {
  const commit = requireCommit(work.directory);
  const hot = segmentsOf(commit, window).filter((entry) => entry.cold === undefined);
  const files = hot.flatMap(coldComponents);
  const total = files.reduce((sum, { length }) => sum + length, 0);
  let done = 0;
  for (const component of files) {
    await copyToStore(work, component, cold);
    done += component.length;
    report(work, done, total);
  }
  commitReplaced(work.directory, commit, hot, (directory, entry, revision) =>
    writeCold(directory, entry, cold, revision, blockBytes),
  );
  return done;
}

/** Makes the cold segments of a window hot. Returns bytes that were copied. */
export async function warmWindow(work: TierWork, window: WindowStart): Promise<number> {
  const commit = requireCommit(work.directory);
  const cold = segmentsOf(commit, window).filter((entry) => entry.cold !== undefined);
  if (cold.length === 0) return 0;
  const writer = IndexWriter.open(work.directory, storedPlans(commit));
  try {
    const total = cold.flatMap(({ components }) => components);
    const bytes = total.reduce((sum, { length, resident }) => {
      return sum + (resident === undefined ? 0 : length);
    }, 0);
    let done = 0;
    const names = new Map<Component, string>();
    const revision = commit.next_revision;
    for (const entry of cold) {
      for (const component of entry.components) {
        if (component.resident === undefined) continue;
        const name = `${component.file}.${revision}`;
        await fetchFile(work, entry, component, name);
        names.set(component, name);
        done += component.length;
        report(work, done, bytes);
      }
    }
    for (const { id } of cold) {
      writer.replaceSegment(id, (own) => hotEntry(own, (component) => nameIn(names, component)));
    }
    writer.commit({ checkpoint: commit.checkpoint, files: commit.files });
    return done;
  } finally {
    writer.close();
  }
}

function nameIn(names: ReadonlyMap<Component, string>, component: Component): string {
  for (const [known, name] of names) if (known.file === component.file) return name;
  throw new LhsError('internal', `"${component.file}" was not fetched`);
}

const segmentsOf = ({ segments }: Commit, window: WindowStart): readonly SegmentEntry[] =>
  segments.filter((entry) => entry.window === window);

function report({ progress }: TierWork, bytes_done: number, bytes_total: number): void {
  progress?.({ phase: 'copying', docs_done: 0, docs_total: 0, bytes_done, bytes_total });
}

function commitReplaced(
  directory: Directory,
  commit: Commit,
  entries: readonly SegmentEntry[],
  write: (directory: Directory, entry: SegmentEntry, revision: number) => SegmentEntry,
): void {
  if (entries.length === 0) return;
  const writer = IndexWriter.open(directory, storedPlans(commit));
  try {
    for (const { id } of entries) {
      writer.replaceSegment(id, (entry, revision) => write(directory, entry, revision));
    }
    writer.commit({ checkpoint: commit.checkpoint, files: commit.files });
  } finally {
    writer.close();
  }
}

/** Copies a file to the store unless it is there, then reads it back. */
async function copyToStore(
  { directory, signal }: TierWork,
  component: Component,
  { place, prefix }: ColdPlace,
): Promise<void> {
  const framed = openFramed(directory, component.file, frameKind(component.kind), component);
  try {
    verifyFramed(framed);
    const key = prefix + component.file;
    await inStore(async () => {
      const store = await storeOf(place);
      const there = await store.head(key, signal);
      const { bytes } = framed.file;
      if (there?.size !== bytes.length) {
        await store.put(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { signal });
      }
    });
    const object = { place, key, length: component.length, window: null };
    await readWhole(object, component, signal, () => {});
  } finally {
    framed.file.release();
  }
}

/** Writes the file of a cold component under a name, checked. */
async function fetchFile(
  { directory, signal }: TierWork,
  { cold, window = null }: SegmentEntry,
  component: Component,
  name: string,
): Promise<void> {
  const { place, prefix } = cold as ColdPlace;
  const key = prefix + component.file.slice(0, component.file.lastIndexOf('.'));
  const writer = directory.create(name);
  try {
    const object = { place, key, length: component.length, window };
    await readWhole(object, component, signal, (piece) => writer.write(piece));
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
    if (end > 0) sum = crc32(piece.subarray(0, end), sum);
    take(piece);
  }
  if (sum !== crc) throw corrupt(`${object.place}/${object.key}`, 'its checksum differs');
}

function requireCommit(directory: Directory): Commit {
  const commit = readCommit(directory);
  if (commit !== null) return commit;
  throw new LhsError('index_not_built', `"${directory.path}" holds no commit`, {
    hint: 'a reindex builds the index',
    next: [{ step: 'reindex' }],
  });
}
