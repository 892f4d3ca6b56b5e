/**
 * Changes the tier of segments. A commit changes it, before which nothing is visible. A cold file
 * is not copied: the store in which the index is published has it.
 */
import { join } from 'node:path';
import type { CallContext } from '@lakehouse-search/contract';
import { requireCommit } from '../../index/commits/commit.ts';
import { IndexWriter } from '../../index/index-writer.ts';
import { storedPlans } from '../../index/merges/stored-plans.ts';
import { type FindStored, hotEntry, hotName, WINDOW_FORM, writeCold } from '../../segment/cool.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import { refuseAborted } from '../../source/source-errors.ts';
import type { Directory } from '../../storage/directory.ts';
import { copying } from '../backup-index.ts';
import { coldSource, sealedPieces } from '../file-source.ts';
import { writeMissing } from '../write-pieces.ts';
import { coldObjects } from './cold-objects.ts';

/** The names that the files of segments which are cold, or will be, have while they are hot. */
const filesToStore = (segments: readonly SegmentEntry[], form = WINDOW_FORM): readonly string[] =>
  segments.flatMap(({ components }) => components.filter(form.isCold).map(hotName));

/** Makes segments of the newest commit cold; cold ones are read from other objects afterwards. */
export async function coolSegments(
  directory: Directory,
  segments: readonly SegmentEntry[],
  find: FindStored,
  form = WINDOW_FORM,
): Promise<void> {
  const stored = await find(filesToStore(segments, form));
  await replacing(directory, (writer) => {
    for (const { id } of segments) {
      writer.replaceSegment(id, (entry, revision) =>
        writeCold(directory, entry, stored, { revision, form }),
      );
    }
  });
}

/** Bytes that `warmSegments` fetches, and its progress over all calls. */
export function fetchFigures(entries: readonly SegmentEntry[], { progress }: CallContext) {
  const cold = entries.flatMap(({ components }) => components);
  const bytes_total = cold.reduce(
    (sum, { resident, length }) => sum + (resident === undefined ? 0 : length),
    0,
  );
  const figures = {
    bytes: 0,
    fetched(bytes: number) {
      figures.bytes += bytes;
      progress?.(copying(figures.bytes, bytes_total));
    },
  };
  return figures;
}

/**
 * Makes cold segments of the newest commit hot. `fetched` receives bytes. Throws corrupt_index,
 * disk_full, interrupted, and what the store throws.
 */
export async function warmSegments(
  directory: Directory,
  cold: readonly SegmentEntry[],
  { signal, fetched }: Pick<CallContext, 'signal'> & { readonly fetched: (bytes: number) => void },
): Promise<void> {
  const objects = coldObjects(directory, cold);
  // the writer is open first: it removes files that no commit names
  await replacing(directory, async (writer) => {
    for (const component of cold.flatMap(({ components }) => components)) {
      const name = hotName(component);
      const object = objects.get(name);
      if (object === undefined) continue;
      const pieces = sealedPieces(coldSource(object), component);
      await writeMissing(join(directory.path, name), component, pieces, (bytes) => {
        refuseAborted(signal);
        fetched(bytes);
      });
    }
    for (const { id } of cold) writer.replaceSegment(id, (entry) => hotEntry(entry));
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
