/**
 * Merging: live documents of several segments of one shard and window, in order, as one new
 * segment, each field from its own structures:
 *   1. number the live documents anew (document maps: old number -> new, -1 where deleted)
 *   2. merge each field's postings, column and vectors, then stored rows, locators, row hashes and
 *      keys
 * The result has format 2, whatever the formats of the segments. Row hashes stay as they are, with
 * the columns that they cover. Structures are read from the readers alone: nothing is analysed
 * again, no source column is read.
 */
import { partOf, runSteps, type Steps } from '../base/steps.ts';
import { OrdinalWriter } from '../columnar/ordinal-writer.ts';
import { joinMergedTerms, mergingInverted, mergingTermPart } from '../inverted/merge.ts';
import type { PartFiles } from '../inverted/write/term-parts.ts';
import type { FieldType } from '../schema/definition.ts';
import { appendHashRun, type HashRun, NO_COLUMNS } from '../schema/hash-set.ts';
import type { Directory } from '../storage/directory.ts';
import { Spill } from '../storage/spill.ts';
import { StoredWriter } from '../stored/stored-writer.ts';
import { type VectorLayout, VectorWriter } from '../vector/vector-writer.ts';
import { type Component, type SegmentEntry, writeComponent } from './entry.ts';
import { columnWriter } from './field-writer.ts';
import { collectKeys, type KeySource, type VisitKey } from './keys/key-order.ts';
import { encodingKeys } from './keys/keys-writer.ts';
import { LocatorWriter, type MovedLocations } from './locators.ts';
import { RowHashWriter } from './row-hashes.ts';
import type { SegmentReader } from './segment-reader.ts';
import type { SegmentShare } from './segment-share.ts';
import { writingVectors } from './vector-components.ts';

/**
 * A segment to merge, which of its documents are deleted by now (its own bits, or newer ones), and
 * where rows lie that have moved since its files were written.
 */
export interface MergeInput {
  readonly reader: SegmentReader;
  readonly deleted: Int32Array | null;
  readonly moved: MovedLocations | null;
}

/** What merging has to know of a field: its plan without the analyzer. A committed field is one. */
export interface MergeField {
  readonly id: number;
  readonly type: FieldType;
  readonly inverted: 'text' | 'keyword' | null;
  /** Text: false if frequent terms store no best documents; absent: they do. */
  readonly best_documents?: false;
  readonly column: 'numeric' | 'ordinal' | null;
  readonly stored: boolean;
  /** VECTOR: what its plan says of vectors. Absent for other types. */
  readonly vector?: VectorLayout;
}

/** A merged segment, and for each input where its documents went: old number -> new, -1 dropped. */
export interface Merged {
  readonly entry: SegmentEntry;
  readonly docMaps: readonly Int32Array[];
}

/** Rows that are taken over in one step. */
const STORED_STEP = 8192;

interface Input {
  readonly reader: SegmentReader;
  readonly docMap: Int32Array;
  readonly moved: MovedLocations | null;
}

/** How a merge runs. */
export interface MergeOptions {
  /** Receives the part that is done, 0 to 1. */
  readonly report?: ((part: number) => void) | undefined;
  /** What is made of the segment; absent: all of it. */
  readonly share?: SegmentShare | undefined;
}

/**
 * Merges segments into a new one named `id`. Throws on the first write error; files written so far
 * are orphans then.
 */
export function mergeSegments(
  inputs: readonly MergeInput[],
  fields: readonly MergeField[],
  directory: Directory,
  id: string,
  { report, share }: MergeOptions = {},
): Merged {
  return runSteps(mergingSegments(inputs, fields, directory, id, share), report);
}

/** Bytes of the inputs' components are what progress is measured by. */
function* mergingSegments(
  inputs: readonly MergeInput[],
  fields: readonly MergeField[],
  directory: Directory,
  id: string,
  share: SegmentShare | undefined,
): Steps<Merged> {
  const { docMaps, docs } = mapDocuments(inputs);
  const mapped = inputs.map(({ reader, moved }, i) => ({ reader, docMap: docMaps[i], moved }));
  const components: Component[] = [];
  const own = fields.filter((field) => share?.fields.includes(field.id) ?? true);
  const rows = share?.rows ?? true;
  const rowBytes = rows ? bytesOf(inputs, -1) : 0;
  const fieldBytes = own.reduce((sum, field) => sum + bytesOf(inputs, field.id), 0);
  const total = Math.max(1, rowBytes + fieldBytes);
  let done = 0;
  for (const field of own.sort((a, b) => a.id - b.id)) {
    const to = done + bytesOf(inputs, field.id) / total;
    const merging = mergingField(mapped, field, docs, { directory, id, share });
    components.push(...(yield* partOf(merging, done, to)));
    yield to;
    done = to;
  }
  const { shard, window } = inputs[0].reader.entry;
  const placed = {
    ...{ id, docs, deletedDocs: 0, components },
    ...(shard === undefined ? {} : { shard }),
    ...(window === undefined ? {} : { window }),
  };
  if (!rows) return { entry: placed, docMaps };
  components.push(...(yield* mergingRows(mapped, docs, fields, directory, id, done)));
  return { entry: { ...placed, hashed: mergeRuns(mapped) }, docMaps };
}

/** Stored values, locators, row hashes and keys. `done`: the part that is done before. */
function* mergingRows(
  mapped: readonly Input[],
  docs: number,
  fields: readonly MergeField[],
  directory: Directory,
  id: string,
  done: number,
): Steps<readonly Component[]> {
  const components: Component[] = [];
  const stored = fields.filter((field) => field.stored).map((field) => field.id);
  if (stored.length > 0) {
    const parts = yield* mergingStored(
      mapped,
      stored.sort((a, b) => a - b),
      done,
    );
    components.push(writeComponent(directory, id, { kind: 'stored' }, parts));
    yield done;
  }
  components.push(writeComponent(directory, id, { kind: 'locators' }, mergeLocators(mapped)));
  yield done;
  components.push(writeComponent(directory, id, { kind: 'hashes' }, mergeHashes(mapped)));
  yield done;
  const keys = yield* partOf(encodingKeys(keysOf(mapped, docs)), done, 1);
  components.push(writeComponent(directory, id, { kind: 'keys' }, keys));
  return components;
}

/** Bytes of the components of a field; -1: of those of the whole segment. */
function bytesOf(inputs: readonly MergeInput[], field: number): number {
  const components = inputs.flatMap(({ reader }) => reader.entry.components);
  const own = components.filter((component) => component.field === field);
  return own.reduce((sum, { length }) => sum + length, 0);
}

/** Where the live documents of each input go, and how many they are. */
export function mapDocuments(inputs: readonly MergeInput[]): {
  docMaps: Int32Array[];
  docs: number;
} {
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

/** Where a merge writes, and what. */
interface MergeTarget {
  readonly directory: Directory;
  readonly id: string;
  readonly share: SegmentShare | undefined;
}

/** The inverted component of a field; none if only a part of its terms is merged. */
function* mergingTerms(
  inputs: readonly Input[],
  { id: field, inverted: kind, best_documents: bestDocs }: MergeField,
  docs: number,
  { directory, id, share }: MergeTarget,
): Steps<readonly Component[]> {
  if (kind === null) return [];
  const readers = inputs.map(({ reader, docMap }) => ({ reader: reader.inverted(field), docMap }));
  const filesOf = (part: number): PartFiles => ({
    directory,
    name: (file) => `${id}.f${field}.part${part}-${file}`,
  });
  if (share?.part !== undefined) {
    yield* mergingTermPart(readers, docs, share.part, filesOf(share.part.part), bestDocs);
    return [];
  }
  const open = (what: string) => new Spill(directory, `${id}.f${field}.spill-${what}`);
  const parts =
    share?.parts === undefined
      ? yield* mergingInverted(readers, docs, { open, bestDocs })
      : joinMergedTerms(
          readers,
          docs,
          Array.from({ length: share.parts }, (_, i) => filesOf(i)),
          bestDocs,
        );
  const component = writeComponent(directory, id, { kind, field }, parts);
  yield 1;
  return [component];
}

function* mergingField(
  inputs: readonly Input[],
  field: MergeField,
  docs: number,
  target: MergeTarget,
): Steps<readonly Component[]> {
  const { directory, id, share } = target;
  const components = [...(yield* mergingTerms(inputs, field, docs, target))];
  if (share?.part !== undefined) return components;
  const column = columnWriter(field);
  if (column !== null && field.column !== null) {
    for (const { reader, docMap } of inputs) {
      if (column instanceof OrdinalWriter) column.merge(reader.ordinals(field.id), docMap);
      else column.merge(reader.numeric(field.id), docMap);
      yield 1;
    }
    const component = { kind: field.column, field: field.id };
    const parts = column instanceof OrdinalWriter ? yield* column.finishing() : column.finish();
    components.push(writeComponent(directory, id, component, parts));
    yield 1;
  }
  if (field.vector !== undefined) {
    const vectors = new VectorWriter(field.vector);
    const former = inputs.map(({ reader, docMap }) => {
      const source = reader.vectors(field.id);
      return { source, slots: vectors.merge(source, docMap) };
    });
    components.push(...(yield* writingVectors(directory, id, field.id, vectors, former)));
  }
  return components;
}

/** `done`: what each step says of the whole. */
function* mergingStored(
  inputs: readonly Input[],
  fields: readonly number[],
  done: number,
): Steps<Uint8Array[]> {
  const writer = new StoredWriter(fields);
  for (const { reader, docMap } of inputs) {
    const groups = reader.storedGroups();
    for (let doc = 0; doc < docMap.length; doc++) {
      if (docMap[doc] >= 0) writer.addFrom(groups, doc);
      if (doc % STORED_STEP === 0) yield done;
    }
  }
  return writer.finish();
}

function mergeLocators(inputs: readonly Input[]): Uint8Array[] {
  const writer = new LocatorWriter();
  for (const { reader, docMap, moved } of inputs) {
    reader.locators.forEachLocation(moved, (doc, file, position) => {
      if (docMap[doc] >= 0) writer.add(file, position);
    });
  }
  return writer.finish();
}

function mergeHashes(inputs: readonly Input[]): Uint8Array[] {
  const writer = new RowHashWriter();
  for (const { reader, docMap } of inputs) {
    const { rowHashes } = reader;
    for (let doc = 0; doc < docMap.length; doc++) if (docMap[doc] >= 0) writer.add(rowHashes[doc]);
  }
  return writer.finish();
}

/** The runs of the documents that are left. */
function mergeRuns(inputs: readonly Input[]): readonly HashRun[] {
  const runs: HashRun[] = [];
  for (const { reader, docMap } of inputs) {
    let first = 0;
    for (const run of reader.entry.hashed ?? [{ docs: docMap.length, ...NO_COLUMNS }]) {
      const live = docMap.subarray(first, first + run.docs).filter((doc) => doc >= 0);
      appendHashRun(runs, run, live.length);
      first += run.docs;
    }
  }
  return runs;
}

/** The keys of the documents that are left; they are walked more than once. */
function keysOf(inputs: readonly Input[], docs: number): KeySource {
  const walks = inputs.map(({ reader, docMap }) => (visit: VisitKey) => {
    reader.keys.forEach((bytes, length, doc) => {
      if (docMap[doc] >= 0) visit(bytes, 0, length);
    });
  });
  return { docs, walks, flat: () => collectKeys({ docs, walks }) };
}
