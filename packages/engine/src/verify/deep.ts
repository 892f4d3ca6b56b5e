/**
 * Deep verify: the rows of the table are indexed again in a scratch index, and each document is
 * compared with its counterpart: terms with positions, columns and cached values, vectors. It finds
 * what a row hash cannot: right rows under wrong terms.
 *
 * Documents whose row hash differs from the row are left to the comparison of rows. Hashes that
 * cover other columns than a build would (format 1, dropped fields) are not compared here.
 */
import type { CallContext } from '@lakehouse-search/contract';
import type { FilePart } from '@lakehouse-search/lake';
import { bytesView, mixBytes } from '../base/bytes/two-lane-hash.ts';
import type { OpenEmbedder } from '../embed/embedder.ts';
import { builtAs } from '../index/commits/commit.ts';
import { NO_FILES } from '../index/commits/data-files.ts';
import { addTermDigests, type DigestLanes } from '../inverted/document-digests.ts';
import type { OpenIndex } from '../open/open-index.ts';
import { hashSetText, runOf } from '../schema/hash-set.ts';
import { coordinatesOf, formatKey } from '../schema/keys/key.ts';
import type { MappedField } from '../schema/mapping.ts';
import { hasFields } from '../segment/entry.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { documentFields } from '../shard/fetch/document.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { createFileTable } from '../sync/batch/file-table.ts';
import { mappingOver } from '../sync/build/build-generation.ts';
import { buildScratch, restrictedTable } from '../sync/build/scratch-index.ts';
import { setNumbers } from './settle.ts';
import type { ComparedSides } from './sides.ts';

/** Relative distance of two vectors of one text: models may round by batch. */
const VECTOR_TOLERANCE = 0.01;
/** Keys of a field that are named at most. */
const SHOWN = 10;

/** What a deep comparison needs besides the sides. */
export interface DeepRequest extends CallContext {
  readonly baseDir: string;
  readonly openEmbedder: OpenEmbedder;
  /** Compare about this many documents, those that `compareSample` takes; absent: all. */
  readonly sample?: number | undefined;
}

/** Documents that were compared, and a sentence for each field in which some differ. */
export interface DeepFindings {
  readonly documents: number;
  readonly faults: readonly string[];
}

/** Segments with the slot of each document, -1 for one without a counterpart. */
type Side = readonly { readonly reader: SegmentReader; readonly slots: Int32Array }[];

/** Compares. Throws source_invalid, model_unavailable, interrupted, disk_full, io_error. */
export async function compareDeep(
  { snapshot, mapping }: OpenIndex,
  sides: ComparedSides,
  { sample, baseDir, openEmbedder, signal, progress }: DeepRequest,
): Promise<DeepFindings> {
  const { table, schema, set } = sides;
  const restricted = restrictedTable(table, partsOf(sides, sample), schema);
  const own = mappingOver(mapping.definition, restricted, builtAs(snapshot.commit));
  const scratch = await buildScratch({
    ...{ mapping: own, table: restricted, snapshotId: set.snapshotId },
    ...{ baseDir, openEmbedder, signal, progress },
  });
  try {
    const files = createFileTable(sides.places ? snapshot.files : NO_FILES);
    const fileOf = (file: number) => files.known(scratch.snapshot.files.at(file).path);
    const { index, fresh, keys } = pair(
      snapshot.segments.filter(hasFields),
      scratch.snapshot.segments,
      fileOf,
    );
    const faults = mapping.fields.flatMap((field) => {
      refuseAborted(signal);
      const slots = compareField(field, index, fresh, keys.length);
      slots.sort((a, b) => Buffer.compare(keys[a], keys[b]));
      const named = slots.slice(0, SHOWN).map((slot) => coordinatesOf(mapping.key, keys[slot]));
      return slots.length === 0 ? [] : [faultOf(field, slots.length, named.map(formatKey))];
    });
    return { documents: keys.length, faults };
  } finally {
    scratch.close();
  }
}

function faultOf({ plan }: MappedField, count: number, keys: readonly string[]): string {
  const more = count > keys.length ? ', …' : '';
  const documents = count === 1 ? '1 document differs' : `${count} documents differ`;
  return `field "${plan.name}": ${documents} from the row indexed again: ${keys.join(', ')}${more}`;
}

/** The rows to index again: those of the sampled documents, or all. */
function partsOf(sides: ComparedSides, sample: number | undefined): readonly FilePart[] {
  const { docs, set } = sides;
  if (sample === undefined) return set.files.map((scan) => ({ scan, only: null }));
  const numbers = setNumbers(sides);
  const positions = new Map<number, number[]>();
  for (const doc of docs.evenly(sample)) {
    const { file, position } = docs.rowPosition(doc);
    const number = numbers[file];
    if (number === undefined) continue;
    const own = positions.get(number);
    if (own === undefined) positions.set(number, [position]);
    else own.push(position);
  }
  return [...positions].map(([number, only]) => {
    return { scan: set.files[number], only: Int32Array.from(only).sort() };
  });
}

/**
 * Gives each fresh document and the live one of its row one slot: the live one has its key, and its
 * row hash or, if row hashes cover other columns, its location. `fileOf`: by number of a data file
 * of the fresh side, that of the live one.
 */
function pair(
  live: readonly SegmentReader[],
  built: readonly SegmentReader[],
  fileOf: (file: number) => number | null,
) {
  const index = live.map((reader) => ({ reader, slots: new Int32Array(reader.docs).fill(-1) }));
  const fresh = built.map((reader) => ({ reader, slots: new Int32Array(reader.docs).fill(-1) }));
  const keys: Uint8Array[] = [];
  for (const { reader, slots } of fresh) {
    for (let doc = 0; doc < reader.docs; doc++) {
      if (reader.isDeleted(doc)) continue;
      const key = reader.keys.key(doc);
      const file = fileOf(reader.locators.file(doc));
      const found = findEqual(index, key, { reader, doc, file });
      if (found === null) continue;
      slots[doc] = keys.length;
      found.slots[found.doc] = keys.length;
      keys.push(key.slice());
    }
  }
  return { index, fresh, keys };
}

interface FreshDocument {
  readonly reader: SegmentReader;
  readonly doc: number;
  /** Number of its data file on the live side; null: not comparable. */
  readonly file: number | null;
}

function findEqual(side: Side, key: Uint8Array, fresh: FreshDocument) {
  for (const { reader, slots } of side) {
    const doc = reader.keys.find(key);
    if (doc < 0) continue;
    const same = reader.hash(doc) === fresh.reader.hash(fresh.doc);
    if (same || isOfRow(reader, doc, fresh)) return { slots, doc };
  }
  return null;
}

/** Whether a document is of the same row as a fresh one whose hash covers other columns. */
function isOfRow(reader: SegmentReader, doc: number, fresh: FreshDocument): boolean {
  if (hashedAs(reader, doc) === hashedAs(fresh.reader, fresh.doc)) return false;
  const { locators } = reader;
  const position = fresh.reader.locators.position(fresh.doc);
  return locators.file(doc) === fresh.file && locators.position(doc) === position;
}

function hashedAs({ entry: { hashed } }: SegmentReader, doc: number): string {
  return hashed === undefined ? '' : hashSetText(hashed[runOf(hashed, doc)]);
}

/** Slots whose documents differ in a field. */
function compareField(field: MappedField, index: Side, fresh: Side, count: number): number[] {
  const [a, b] = [digests(field, index, count), digests(field, fresh, count)];
  const differing = new Set<number>();
  for (let slot = 0; slot < count; slot++) {
    if (a.low[slot] !== b.low[slot] || a.high[slot] !== b.high[slot]) differing.add(slot);
  }
  if (field.plan.vector !== undefined) {
    for (const slot of differingVectors(field, index, fresh, count)) differing.add(slot);
  }
  return [...differing];
}

function digests(field: MappedField, side: Side, count: number): DigestLanes {
  const lanes = { low: new Uint32Array(count), high: new Uint32Array(count) };
  for (const { reader, slots } of side) {
    const inverted = field.plan.inverted === null ? null : reader.inverted(field.plan.id);
    if (inverted !== null) addTermDigests(inverted, slots, lanes);
    if (field.plan.column !== null || field.plan.stored) addValues(field, reader, slots, lanes);
  }
  return lanes;
}

function addValues(
  field: MappedField,
  reader: SegmentReader,
  slots: Int32Array,
  { low, high }: DigestLanes,
): void {
  const encoder = new TextEncoder();
  const pair = new Int32Array(2);
  slots.forEach((slot, doc) => {
    if (slot < 0) return;
    const bytes = encoder.encode(JSON.stringify(documentFields(reader, doc, [field])));
    pair.fill(0);
    mixBytes(pair, 0, bytesView(bytes), 0, bytes.length);
    low[slot] += pair[0];
    high[slot] += pair[1];
  });
}

function differingVectors({ plan }: MappedField, index: Side, fresh: Side, count: number) {
  const [a, b] = [placesOf(index, count), placesOf(fresh, count)];
  const vector = ({ reader, doc }: { reader: SegmentReader; doc: number }) =>
    reader.vectors(plan.id)?.vector(doc) ?? null;
  return Array.from({ length: count }, (_, slot) => slot).filter(
    (slot) => !near(vector(a[slot]), vector(b[slot])),
  );
}

function placesOf(side: Side, count: number) {
  const places = new Array<{ reader: SegmentReader; doc: number }>(count);
  for (const { reader, slots } of side) {
    slots.forEach((slot, doc) => {
      if (slot >= 0) places[slot] = { reader, doc };
    });
  }
  return places;
}

function near(a: Float32Array | null, b: Float32Array | null): boolean {
  if (a === null || b === null) return a === b;
  let distance = 0;
  let length = 0;
  for (let i = 0; i < a.length; i++) {
    distance += (a[i] - b[i]) ** 2;
    length += a[i] ** 2;
  }
  return distance <= VECTOR_TOLERANCE ** 2 * length;
}
