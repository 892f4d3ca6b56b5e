/**
 * Changes of a segment field by field. Each returns a new entry; the files that it no longer names
 * are removed after the commit that names the new ones. A field id is never used again in a
 * generation, so that a file name never means two contents.
 */
import type { Steps } from '../base/steps.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { HashRun } from '../schema/hash-set.ts';
import type { Directory } from '../storage/directory.ts';
import { StoredWriter } from '../stored/stored-writer.ts';
import { type Component, type SegmentEntry, writeComponent } from './entry.ts';
import { FieldWriter } from './field-writer.ts';
import { encodeRowHashes } from './row-hashes.ts';

/**
 * A field on its way into a segment that does not have it. If the field is stored, it gets a group
 * of stored values of its own.
 */
export class AddedField {
  readonly plan: FieldPlan;
  readonly #writer: FieldWriter;
  readonly #stored: StoredWriter | null;
  #docs = 0;

  constructor(plan: FieldPlan) {
    this.plan = plan;
    this.#writer = new FieldWriter(plan);
    this.#stored = plan.stored ? new StoredWriter([plan.id]) : null;
  }

  /** Adds the values of the next documents; null: they have none. */
  add(docs: number, block: FieldBlock | null): void {
    if (docs === 0) return;
    this.#writer.add(this.#docs, docs, block);
    this.#stored?.add(docs, [block]);
    this.#docs += docs;
  }

  /**
   * The entry with the components of the field, which are written in steps; the documents that are
   * left have no values. Throws on the first write error; files that were written so far are
   * orphans then.
   */
  *finishing(entry: SegmentEntry, directory: Directory): Steps<SegmentEntry> {
    const left = entry.docs - this.#docs;
    if (left < 0) {
      const found = `${this.#docs} documents have values`;
      throw new RangeError(`${found}, segment ${entry.id} has ${entry.docs}`);
    }
    this.add(left, null);
    const written = yield* this.#writer.finishing(entry.docs, directory, entry.id);
    const components: Component[] = [...entry.components, ...written];
    if (this.#stored !== null) {
      const component = { kind: 'stored' as const, field: this.plan.id };
      components.push(writeComponent(directory, entry.id, component, this.#stored.finish()));
    }
    return { ...entry, components };
  }
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
