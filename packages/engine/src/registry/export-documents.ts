import type { ExportedDocument, SearchRequest, SearchResponse } from '../backend.ts';
import { LIMITS } from '../base/limits.ts';
import { coordinatesOf, keyOfCoordinates } from '../schema/key.ts';
import type { MappedField, Mapping } from '../schema/mapping.ts';
import { documentFields } from '../search/document.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
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

/** Every live document with its cached and fast fields, sorted by key (bytes of the canonical texts, column by column). */
export function* exportAll({ snapshot, mapping }: OpenIndex): Generator<ExportedDocument> {
  const fields = exportedFields(mapping);
  const cursors = snapshot.segments.map(keyOrder).filter((cursor) => cursor.next());
  while (cursors.length > 0) {
    let least = 0;
    for (let i = 1; i < cursors.length; i++) {
      if (Buffer.compare(cursors[i].key(), cursors[least].key()) < 0) least = i;
    }
    const cursor = cursors[least];
    yield exported(mapping, fields, cursor.reader, cursor.doc(), cursor.key());
    if (!cursor.next()) cursors.splice(least, 1);
  }
}

interface KeyCursor {
  readonly reader: SegmentReader;
  next(): boolean;
  doc(): number;
  key(): Uint8Array;
}

/** The live documents of a segment by key. */
function keyOrder(reader: SegmentReader): KeyCursor {
  const { keys } = reader;
  const byRank = new Int32Array(reader.docs);
  for (let doc = 0; doc < reader.docs; doc++) byRank[keys.rank(doc)] = doc;
  let at = -1;
  let key = new Uint8Array(0);
  return {
    reader,
    next() {
      while (++at < byRank.length && reader.isDeleted(byRank[at]));
      if (at >= byRank.length) return false;
      key = keys.key(byRank[at]) as Uint8Array<ArrayBuffer>;
      return true;
    },
    doc: () => byRank[at],
    key: () => key,
  };
}

/** As `exportAll`, for the documents that a query matches: pages of a search that is sorted by key. */
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
