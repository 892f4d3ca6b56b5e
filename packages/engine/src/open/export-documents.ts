import type {
  ExportedDocument,
  Json,
  SearchRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { coordinatesOf, keyOfCoordinates } from '../schema/key.ts';
import type { MappedField, Mapping } from '../schema/mapping.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { documentFields } from '../shard/fetch/document.ts';
import type { OpenIndex } from './open-index.ts';

/** Fields that an export prints: those that are cached or fast. */
function exportedFields(mapping: Mapping): readonly MappedField[] {
  return mapping.fields.filter(({ definition }) => definition?.cached || definition?.fast);
}

function exported(
  mapping: Mapping,
  fields: readonly MappedField[],
  reader: SegmentReader,
  doc: number,
  key: Uint8Array,
): ExportedDocument {
  const coordinates = coordinatesOf(mapping.key, key);
  return { coordinates, fields: documentFields(reader, doc, fields) };
}

/**
 * Documents that are read together: in storage order, which unpacks each block of stored values
 * once per chunk.
 */
export interface ExportChunk {
  readonly docs: number;
  /** Characters of their texts. */
  readonly chars: number;
}

const CHUNK: ExportChunk = { docs: 65_536, chars: 64 * 2 ** 20 };

/**
 * Every live document with its cached and fast fields, sorted by key (bytes of the canonical texts,
 * column by column).
 */
export function* exportAll(
  { snapshot, mapping }: OpenIndex,
  most = CHUNK,
): Generator<ExportedDocument> {
  const fields = exportedFields(mapping);
  const read = (place: Place) => exported(mapping, fields, place.reader, place.doc, place.key);
  let size = most.docs;
  let chunk: Place[] = [];
  for (const place of placesByKey(snapshot.segments)) {
    chunk.push(place);
    if (chunk.length < size) continue;
    const done = yield* readChunk(chunk, most.chars, read);
    size = Math.min(most.docs, 2 * done);
    chunk = [];
  }
  yield* readChunk(chunk, most.chars, read);
}

/** A live document and its key. */
interface Place {
  readonly segment: number;
  readonly reader: SegmentReader;
  readonly doc: number;
  readonly key: Uint8Array;
}

type ReadPlace = (place: Place) => ExportedDocument;

/**
 * The documents of a chunk; one whose texts are too long together is read again in halves. Returns
 * the size of the last part.
 */
function* readChunk(
  chunk: readonly Place[],
  chars: number,
  read: ReadPlace,
): Generator<ExportedDocument, number> {
  const documents = readWithin(chunk, chars, read);
  if (documents !== null) {
    yield* documents;
    return chunk.length;
  }
  const half = chunk.length >> 1;
  yield* readChunk(chunk.slice(0, half), chars, read);
  return yield* readChunk(chunk.slice(half), chars, read);
}

/**
 * The documents of a chunk in its order; null: there are several, of more characters than `chars`.
 */
function readWithin(
  chunk: readonly Place[],
  chars: number,
  read: ReadPlace,
): readonly ExportedDocument[] | null {
  const order = chunk.map((_, i) => i);
  order.sort((a, b) => chunk[a].segment - chunk[b].segment || chunk[a].doc - chunk[b].doc);
  const documents = new Array<ExportedDocument>(chunk.length);
  let left = chars;
  for (const i of order) {
    documents[i] = read(chunk[i]);
    for (const value of Object.values(documents[i].fields)) left -= charsOf(value);
    if (left < 0 && chunk.length > 1) return null;
  }
  return documents;
}

function charsOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, one) => sum + charsOf(one), 0) : 0;
}

/** All live documents by key. */
function* placesByKey(segments: readonly SegmentReader[]): Generator<Place> {
  const runs = segments.map((reader, segment) => liveByKey(reader, segment));
  const heads = runs.map((run) => run.next());
  for (;;) {
    let least = -1;
    heads.forEach((head, i) => {
      if (head.done) return;
      const best = least < 0 ? null : heads[least];
      if (!best || best.done || Buffer.compare(head.value.key, best.value.key) < 0) least = i;
    });
    const head = heads[least];
    if (head === undefined || head.done) return;
    yield head.value;
    heads[least] = runs[least].next();
  }
}

function* liveByKey(reader: SegmentReader, segment: number): Generator<Place, undefined> {
  const { keys } = reader;
  const byRank = new Int32Array(reader.docs);
  for (let doc = 0; doc < reader.docs; doc++) byRank[keys.rank(doc)] = doc;
  for (const doc of byRank) {
    if (!reader.isDeleted(doc)) yield { segment, reader, doc, key: keys.key(doc) };
  }
}

/**
 * As `exportAll`, for the documents that a query matches: pages of a search that is sorted by key.
 */
export async function* exportMatches(
  { snapshot, mapping }: OpenIndex,
  query: string,
  search: (request: SearchRequest) => Promise<SearchResponse>,
): AsyncGenerator<ExportedDocument> {
  const fields = exportedFields(mapping);
  let after: SearchRequest['search_after'];
  for (;;) {
    const page = { query, sort: [{ field: '_key' }], limit: LIMITS.pageHits, fields: [] };
    const { hits } = await search(after === undefined ? page : { ...page, search_after: after });
    for (const hit of hits) {
      const key = keyOfCoordinates(mapping.key, hit.coordinates);
      const found = snapshot.find(key);
      if (found !== null) yield exported(mapping, fields, found.segment, found.doc, key);
    }
    after = hits.at(-1)?.sort;
    if (hits.length < LIMITS.pageHits || after === undefined) return;
  }
}
