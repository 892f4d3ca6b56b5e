import type { Coordinates, KeysRequest, KeysResponse } from '@lakehouse-search/contract';
import { coordinatesOfTexts, encodeKey, textsOfCoordinates } from '../../schema/key.ts';
import { type SearchContext, UNKNOWN_LAG } from '../context.ts';
import { ownsDocument } from '../tenant.ts';
import { documentLocator, readRows, rowColumns, shownSnapshot, type WantedRow } from './rows.ts';

/**
 * Rows of the table by key, in the order asked; keys that the table does not have are in `missing`.
 * Keys that the index knows are read at their locator. For the callers of a tenant only keys of its
 * own documents are read at all: a key of another tenant is missing as an absent one is.
 *
 * Throws invalid_argument (not a key of this index, unknown column), limit_exceeded, and what the
 * table throws.
 */
export async function getKeys(context: SearchContext, request: KeysRequest): Promise<KeysResponse> {
  const started = performance.now();
  const { mapping } = context;
  const texts = request.keys.map((key) => textsOfCoordinates(mapping.key, key));
  const table = await context.openTable();
  const cost = { bytes: 0, requests: 0 };
  const asked = texts.map((key) => wantedRow(context, key));
  const wanted = asked.filter((row) => row !== null);
  const columns = rowColumns(table, request.columns);
  const shown = shownSnapshot(table, mapping);
  const found = await readRows(table, mapping, wanted, columns, cost, context.tenant);
  const byRow = new Map(wanted.map((row, i) => [row, found[i] ?? null]));
  const missing: Coordinates[] = [];
  const rows: KeysResponse['rows'][number][] = [];
  asked.forEach((row, i) => {
    const key = coordinatesOfTexts(mapping.key, texts[i]!);
    const fields = row === null ? null : byRow.get(row)!;
    if (fields === null) missing.push(key);
    else rows.push({ key, fields });
  });
  return {
    rows,
    missing,
    snapshot: shown === null ? null : String(shown),
    index_generation: context.snapshot.generation,
    ...((await context.lag?.('now')) ?? UNKNOWN_LAG),
    took_ms: Math.round((performance.now() - started) * 1000) / 1000,
    // Pages hold rows of all tenants: their bytes are no tenant's own.
    ...(context.tenant === undefined ? { bytes_read: cost.bytes } : {}),
  };
}

/** What is read for a key; null: nothing, the caller may not know whether there is such a row. */
function wantedRow(
  { snapshot, guard = null }: SearchContext,
  texts: readonly string[],
): WantedRow | null {
  const found = snapshot.find(encodeKey(texts));
  if (guard !== null && (found === null || !ownsDocument(guard, found.segment, found.doc))) {
    return null;
  }
  if (found === null) return { texts, locator: null };
  const segment = snapshot.segments.indexOf(found.segment);
  return { texts, locator: documentLocator(snapshot, segment, found.doc) };
}
