import type {
  ExportedDocument,
  Json,
  SearchRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import { coordinatesOf, keyOfCoordinates } from '../schema/keys/key.ts';
import type { MappedField, Mapping } from '../schema/mapping.ts';
import type { ComponentKind } from '../segment/entry.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { documentFields } from '../shard/fetch/document.ts';
import { type KeyOrders, type LiveDocument, liveByKey } from './live-by-key.ts';
import type { OpenIndex } from './open-index.ts';

/** What an export reads of cold segments. */
export const EXPORTED_KINDS: ReadonlySet<ComponentKind> = new Set([
  'keys',
  'locators',
  'numeric',
  'ordinal',
  'stored',
]);

/** The last document of a page: its key, or its sort values where a query selects documents. */
export type ExportCursor =
  | { readonly kind: 'key'; readonly key: Uint8Array }
  | { readonly kind: 'sort'; readonly values: NonNullable<SearchRequest['search_after']> };

/** Which page of an export is read. */
export interface PageRequest {
  /** Null: from the first document. */
  readonly after: ExportCursor | null;
  /** Documents of the page, at most. */
  readonly docs: number;
  /** Characters of their texts; a page holds one document at least. */
  readonly chars: number;
}

/** Documents of an export, sorted by key (bytes of the canonical texts, column by column). */
export interface ExportPage {
  readonly documents: readonly ExportedDocument[];
  /** Null: there are no more documents. */
  readonly after: ExportCursor | null;
}

/** A page of all live documents with their cached and fast fields. */
export function pageOfAll(
  { snapshot, mapping }: Pick<OpenIndex, 'snapshot' | 'mapping'>,
  { after, docs, chars }: PageRequest,
  orders: KeyOrders,
): ExportPage {
  const fields = exportedFields(mapping);
  const start = after?.kind === 'key' ? after.key : null;
  let found = [...liveByKey(snapshot.segments, start, orders).take(docs)];
  const isLast = found.length < docs;
  const { length } = found;
  for (;;) {
    const documents = readWithin(found, chars, mapping, fields);
    if (documents !== null) {
      const last = isLast && documents.length === length ? undefined : found.at(-1);
      return { documents, after: last === undefined ? null : { kind: 'key', key: last.key } };
    }
    found = found.slice(0, found.length >> 1);
  }
}

/** A page of the documents that a query matches. */
export async function pageOfMatches(
  { snapshot, mapping }: Pick<OpenIndex, 'snapshot' | 'mapping'>,
  query: string,
  { after, docs, chars }: PageRequest,
  search: (request: SearchRequest) => Promise<SearchResponse>,
): Promise<ExportPage> {
  const fields = exportedFields(mapping);
  const page = { query, sort: [{ field: '_key' }], limit: docs, fields: [] };
  const next = after?.kind === 'sort' ? { search_after: after.values } : {};
  const { hits } = await search({ ...page, ...next });
  const documents: ExportedDocument[] = [];
  let left = chars;
  for (const [i, { coordinates, sort }] of hits.entries()) {
    const key = keyOfCoordinates(mapping.key, coordinates);
    const found = snapshot.find(key);
    if (found === null) continue;
    const document = exported(mapping, fields, found.segment, found.doc, key);
    documents.push(document);
    left -= charsOfDocument(document);
    const isLast = i === hits.length - 1 && hits.length < docs;
    if (left < 0 && !isLast) return { documents, after: { kind: 'sort', values: sort! } };
  }
  const last = hits.length < docs ? undefined : hits.at(-1)?.sort;
  return { documents, after: last === undefined ? null : { kind: 'sort', values: last } };
}

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
 * The documents in their order, read in storage order, which unpacks each block of stored values
 * once; null: there are several, of more characters than `chars`.
 */
function readWithin(
  found: readonly LiveDocument[],
  chars: number,
  mapping: Mapping,
  fields: readonly MappedField[],
): readonly ExportedDocument[] | null {
  const order = found.map((_, i) => i);
  order.sort((a, b) => found[a].segment - found[b].segment || found[a].doc - found[b].doc);
  const documents = new Array<ExportedDocument>(found.length);
  let left = chars;
  for (const i of order) {
    const { reader, doc, key } = found[i];
    documents[i] = exported(mapping, fields, reader, doc, key);
    left -= charsOfDocument(documents[i]);
    if (left < 0 && found.length > 1) return null;
  }
  return documents;
}

const charsOfDocument = ({ fields }: ExportedDocument): number => charsOf(Object.values(fields));

function charsOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, one) => sum + charsOf(one), 0) : 0;
}
