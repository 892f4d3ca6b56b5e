import { partOf, type Steps } from '../base/steps.ts';
import type { Directory } from '../storage/directory.ts';
import { setHashes } from './alter.ts';
import { type SegmentEntry, writeComponent } from './entry.ts';
import { KeysWriter } from './keys/keys-writer.ts';
import type { SegmentReader } from './segment-reader.ts';

/** Whether a segment has format 1. */
export const isFormatOne = ({ components }: SegmentEntry): boolean =>
  components.some(({ kind }) => kind === 'core');

/** Bytes of a segment that an upgrade reads; it writes fewer. */
export const bytesToUpgrade = ({ components }: SegmentEntry): number =>
  components.reduce((sum, { kind, length }) => sum + (kind === 'core' ? length : 0), 0);

/**
 * The entry of a segment of format 1 as format 2: keys and row hashes get components of their own,
 * all other files stay. Documents keep their numbers. Throws on the first write error; files that
 * were written so far are orphans then.
 */
export function* upgradingSegment(
  reader: SegmentReader,
  entry: SegmentEntry,
  directory: Directory,
): Steps<SegmentEntry> {
  const writer = new KeysWriter();
  reader.keys.forEach((bytes, length) => {
    writer.add(bytes, 0, length);
  });
  yield 0.3;
  const keys = yield* partOf(writer.finishing(), 0.3, 1);
  const component = writeComponent(directory, entry.id, { kind: 'keys' }, keys);
  const others = entry.components.filter(({ kind }) => kind !== 'core');
  const upgraded = { ...entry, components: [...others, component] };
  return setHashes(upgraded, reader.rowHashes, entry.hashed ?? [], directory, 0);
}
