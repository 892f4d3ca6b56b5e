/**
 * Merging: live documents of several segments, in order, as one new segment, each field from its
 * own structures:
 *   1. number the live documents anew (document maps: old number -> new, -1 where deleted)
 *   2. merge each field's postings and column, then stored rows, locators, keys and row hashes
 * Structures are read from the readers alone: nothing is analysed again, no source column is read.
 */
import { OrdinalWriter } from '../columnar/ordinal-writer.ts';
import { mergeInverted } from '../inverted/merge.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { Directory } from '../storage/directory.ts';
import { StoredWriter } from '../stored/stored-writer.ts';
import { CoreWriter } from './core-writer.ts';
import { type Component, type SegmentEntry, writeComponent } from './entry.ts';
import { LocatorWriter } from './locators.ts';
import type { SegmentReader } from './segment-reader.ts';
import { columnWriter } from './segment-writer.ts';

/**
 * A segment to merge, and which of its documents are deleted by now (its own bits, or newer
 * ones).
 */
export interface MergeInput {
  readonly reader: SegmentReader;
  readonly deleted: Int32Array | null;
}

/** A merged segment, and for each input where its documents went: old number -> new, -1 dropped. */
export interface Merged {
  readonly entry: SegmentEntry;
  readonly docMaps: readonly Int32Array[];
}

interface Input {
  readonly reader: SegmentReader;
  readonly docMap: Int32Array;
}

/**
 * Merges segments into a new one named `id`. Throws on the first write error; files written so
 * far are orphans then.
 */
export function mergeSegments(
  inputs: readonly MergeInput[],
  plans: readonly FieldPlan[],
  directory: Directory,
  id: string,
): Merged {
  const { docMaps, docs } = mapDocuments(inputs);
  const mapped = inputs.map(({ reader }, i) => ({ reader, docMap: docMaps[i] }));
  const components: Component[] = [];
  for (const plan of [...plans].sort((a, b) => a.id - b.id)) {
    components.push(...mergeField(mapped, plan, docs, directory, id));
  }
  const stored = plans.filter((plan) => plan.stored).map((plan) => plan.id);
  if (stored.length > 0) {
    const parts = mergeStored(
      mapped,
      stored.sort((a, b) => a - b),
    );
    components.push(writeComponent(directory, id, { kind: 'stored' }, parts));
  }
  components.push(writeComponent(directory, id, { kind: 'locators' }, mergeLocators(mapped)));
  components.push(writeComponent(directory, id, { kind: 'core' }, mergeCores(mapped)));
  return { entry: { id, docs, deletedDocs: 0, components }, docMaps };
}

function mapDocuments(inputs: readonly MergeInput[]): { docMaps: Int32Array[]; docs: number } {
  let docs = 0;
  const docMaps = inputs.map(({ reader, deleted }) => {
    const docMap = new Int32Array(reader.docs);
    for (let doc = 0; doc < docMap.length; doc++) {
      const gone = deleted !== null && (deleted[doc >> 5] & (1 << (doc & 31))) !== 0;
      docMap[doc] = gone ? -1 : docs++;
    }
    return docMap;
  });
  return { docMaps, docs };
}

function mergeField(
  inputs: readonly Input[],
  plan: FieldPlan,
  docs: number,
  directory: Directory,
  id: string,
): Component[] {
  const components: Component[] = [];
  if (plan.inverted !== null) {
    const readers = inputs.map(({ reader, docMap }) => ({
      reader: reader.inverted(plan.id),
      docMap,
    }));
    const component = { kind: plan.inverted.kind, field: plan.id };
    components.push(writeComponent(directory, id, component, mergeInverted(readers, docs)));
  }
  const column = columnWriter(plan);
  if (column !== null && plan.column !== null) {
    for (const { reader, docMap } of inputs) {
      if (column instanceof OrdinalWriter) column.merge(reader.ordinals(plan.id), docMap);
      else column.merge(reader.numeric(plan.id), docMap);
    }
    const component = { kind: plan.column, field: plan.id };
    components.push(writeComponent(directory, id, component, column.finish()));
  }
  return components;
}

function mergeStored(inputs: readonly Input[], fields: readonly number[]): Uint8Array[] {
  const writer = new StoredWriter(fields);
  for (const { reader, docMap } of inputs) {
    const rows = reader.storedReader();
    for (let doc = 0; doc < docMap.length; doc++) {
      if (docMap[doc] >= 0) writer.addFrom(rows, doc);
    }
  }
  return writer.finish();
}

function mergeLocators(inputs: readonly Input[]): Uint8Array[] {
  const writer = new LocatorWriter();
  for (const { reader, docMap } of inputs) {
    reader.locators.forEachRun((first, count, file, position) => {
      for (let i = 0; i < count; i++) {
        if (docMap[first + i] >= 0) writer.add(file, position + i);
      }
    });
  }
  return writer.finish();
}

function mergeCores(inputs: readonly Input[]): Uint8Array[] {
  const writer = new CoreWriter();
  for (const { reader, docMap } of inputs) {
    const { keys } = reader;
    keys.forEach((bytes, length, doc) => {
      if (docMap[doc] >= 0) writer.add(bytes, 0, length, keys.rowHashes[doc]);
    });
  }
  return writer.finish();
}
