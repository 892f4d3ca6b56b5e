/**
 * Changes of a segment field by field. Each returns a new entry; the files that it no longer names
 * are removed after the commit that names the new ones. A field id is never used again in a
 * generation, so that a file name never means two contents.
 */
import { partOf, type Steps } from '../base/steps.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { HashRun } from '../schema/hash-set.ts';
import type { Directory } from '../storage/directory.ts';
import { StoredWriter } from '../stored/stored-writer.ts';
import { type Component, type SegmentEntry, writeComponent } from './entry.ts';
import { FieldWriter } from './field-writer.ts';
import { encodeRowHashes } from './row-hashes.ts';

/** The values of a field for the next documents of a segment; null: they have none. */
export interface ColumnValues {
  readonly docs: number;
  readonly block: FieldBlock | null;
}

/**
 * Writes the components of a new field; `values` cover all documents of the segment in their order.
 * A field that is cached gets a group of stored values of its own. In steps. Throws on the first
 * write error; files that were written so far are orphans then.
 */
export function* addingField(
  entry: SegmentEntry,
  plan: FieldPlan,
  values: Iterable<ColumnValues>,
  directory: Directory,
): Steps<SegmentEntry> {
  const writer = new FieldWriter(plan);
  const stored = plan.stored ? new StoredWriter([plan.id]) : null;
  let first = 0;
  for (const { docs, block } of values) {
    writer.add(first, docs, block);
    stored?.add(docs, [block]);
    first += docs;
    yield (0.5 * first) / Math.max(1, entry.docs);
  }
  if (first !== entry.docs) {
    throw new RangeError(`${first} documents have values, segment ${entry.id} has ${entry.docs}`);
  }
  const written = yield* partOf(writer.finishing(first, directory, entry.id), 0.5, 1);
  const components: Component[] = [...entry.components, ...written];
  if (stored !== null) {
    const component = { kind: 'stored' as const, field: plan.id };
    components.push(writeComponent(directory, entry.id, component, stored.finish()));
  }
  return { ...entry, components };
}

/**
 * The entry without the components of a field. Nothing is read or written: values of a field that
 * is stored in a group with others stay there, unread, until the next merge; so do row hashes over
 * its column.
 */
export function dropField(entry: SegmentEntry, field: number): SegmentEntry {
  return { ...entry, components: entry.components.filter((own) => own.field !== field) };
}

/**
 * Replaces the row hashes of a segment, by document, and the columns that they cover; `revision`: a
 * number that no `hashes` file of the segment has had. Segments of format 2 only.
 */
export function setHashes(
  entry: SegmentEntry,
  hashes: BigUint64Array,
  hashed: readonly HashRun[],
  directory: Directory,
  revision: number,
): SegmentEntry {
  const parts = encodeRowHashes(hashes);
  const component = writeComponent(directory, entry.id, { kind: 'hashes', revision }, parts);
  const others = entry.components.filter(({ kind }) => kind !== 'hashes');
  return { ...entry, components: [...others, component], hashed };
}

/** Row hashes with those of further columns added to them, lane by lane. */
export function addHashes(hashes: BigUint64Array, added: BigUint64Array): BigUint64Array {
  const sums = hashes.slice();
  const lanes = new Uint32Array(sums.buffer);
  const more = new Uint32Array(added.buffer, added.byteOffset, 2 * added.length);
  for (let at = 0; at < lanes.length; at++) lanes[at] += more[at];
  return sums;
}
