/**
 * One segment on its way to disk:
 *   1. `add` takes document blocks and hands every field to the writers that its plan asks for
 *   2. `finish` writes one component file per structure: fields in order of their ids, then
 *      stored values, locators, row hashes, keys
 * Nothing of it is visible until a commit names it.
 */

import { partOf, runSteps, type Steps } from '../base/steps.ts';
import type { DocumentBlock, FieldBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { appendHashRun, type HashRun, NO_COLUMNS } from '../schema/hash-set.ts';
import type { Directory } from '../storage/directory.ts';
import { StoredWriter } from '../stored/stored-writer.ts';
import { type Component, type SegmentEntry, writeComponent } from './entry.ts';
import { FieldWriter } from './field-writer.ts';
import { KeysWriter } from './keys/keys-writer.ts';
import { LocatorWriter } from './locators.ts';
import { RowHashWriter } from './row-hashes.ts';
import type { SegmentShare } from './segment-share.ts';

/** Collects document blocks in memory and writes them as one segment. */
export class SegmentWriter {
  readonly #fields: readonly FieldWriter[];
  readonly #storedPlans: readonly FieldPlan[];
  readonly #stored: StoredWriter;
  readonly #keys = new KeysWriter();
  readonly #hashes = new RowHashWriter();
  /** Of all documents, whichever thread writes their hashes. */
  readonly #hashed: HashRun[] = [];
  readonly #locators = new LocatorWriter();
  readonly #rows: boolean;
  #docs = 0;

  /** A writer of all of a segment, or of a share of it. */
  constructor(plans: readonly FieldPlan[], share?: SegmentShare) {
    const sorted = [...plans].sort((a, b) => a.id - b.id);
    const own = sorted.filter(({ id }) => share?.fields.includes(id) ?? true);
    this.#rows = share?.rows ?? true;
    this.#fields = own.map((plan) => new FieldWriter(plan));
    this.#storedPlans = this.#rows ? sorted.filter((plan) => plan.stored) : [];
    this.#stored = new StoredWriter(this.#storedPlans.map((plan) => plan.id));
  }

  get docs(): number {
    return this.#docs;
  }

  /** Bytes of memory held, about. */
  get bytes(): number {
    let bytes = this.#keys.bytes + this.#hashes.bytes + this.#locators.bytes + this.#stored.bytes;
    for (const field of this.#fields) bytes += field.bytes;
    return bytes;
  }

  /** Adds the block's documents behind those that are there. Fields without a plan are ignored. */
  add(block: DocumentBlock): void {
    const first = this.#docs;
    const { docs } = block;
    if (this.#rows) this.#addRows(block);
    appendHashRun(this.#hashed, block.hashed ?? NO_COLUMNS, docs);
    const values = (plan: FieldPlan): FieldBlock | null => block.fields.get(plan.name) ?? null;
    for (const field of this.#fields) field.add(first, docs, values(field.plan));
    if (this.#storedPlans.length > 0) this.#stored.add(docs, this.#storedPlans.map(values));
    this.#docs += docs;
  }

  #addRows({ docs, keyBytes, keyOffsets, hashes, files, positions }: DocumentBlock): void {
    for (let doc = 0; doc < docs; doc++) {
      this.#keys.add(keyBytes, keyOffsets[doc], keyOffsets[doc + 1]);
      this.#hashes.add(hashes[doc]);
      this.#locators.add(files[doc], positions[doc]);
    }
  }

  /**
   * Writes the component files. Throws on the first write error; the files written so far are
   * orphans then.
   */
  finish(directory: Directory, id: string): SegmentEntry {
    return runSteps(this.finishing(directory, id));
  }

  /** As `finish`, in steps. */
  *finishing(directory: Directory, id: string): Steps<SegmentEntry> {
    const docs = this.#docs;
    const total = Math.max(1, this.bytes);
    const components: Component[] = [];
    let done = 0;
    for (const field of this.#fields) {
      const part = field.bytes / total;
      components.push(...(yield* partOf(field.finishing(docs, directory, id), done, done + part)));
      done += part;
    }
    if (this.#storedPlans.length > 0) {
      components.push(writeComponent(directory, id, { kind: 'stored' }, this.#stored.finish()));
      yield done;
    }
    const entry = { id, docs, deletedDocs: 0, components, hashed: this.#hashed };
    if (!this.#rows) return entry;
    components.push(writeComponent(directory, id, { kind: 'locators' }, this.#locators.finish()));
    components.push(writeComponent(directory, id, { kind: 'hashes' }, this.#hashes.finish()));
    const keys = yield* partOf(this.#keys.finishing(), done, 1);
    components.push(writeComponent(directory, id, { kind: 'keys' }, keys));
    return entry;
  }
}
