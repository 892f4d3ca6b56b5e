import type { Coordinates, KeysRequest, KeysResponse } from '../backend.ts';
import { coordinatesOfTexts, encodeKey, textsOfCoordinates } from '../schema/key.ts';
import type { SearchContext } from './context.ts';
import { documentLocator, readRows, rowColumns, shownSnapshot, type WantedRow } from './rows.ts';

/**
 * Rows of the table by key, in the order asked; keys that the table does not have are in `missing`.
 * Keys that the index knows are read at their locator. Throws invalid_argument (not a key of this
 * index, unknown column), limit_exceeded, and what the table throws.
 */
export async function getKeys(context: SearchContext, request: KeysRequest): Promise<KeysResponse> {
  const started = performance.now();
  const { mapping } = context;
  const texts = request.keys.map((key) => textsOfCoordinates(mapping.key, key));
  const table = await context.openTable();
  const cost = { bytes: 0, requests: 0 };
  const wanted = texts.map((key): WantedRow => ({ texts: key, locator: locate(context, key) }));
  const columns = rowColumns(table, request.columns);
  const shown = shownSnapshot(table, mapping);
  const found = await readRows(table, mapping, wanted, columns, cost, context.tenant);
  const missing: Coordinates[] = [];
  const rows: KeysResponse['rows'][number][] = [];
  found.forEach((fields, i) => {
    const key = coordinatesOfTexts(mapping.key, texts[i]!);
    if (fields === null) missing.push(key);
    else rows.push({ key, fields });
  });
  return {
    rows,
    missing,
    snapshot: shown === null ? null : String(shown),
    index_generation: context.snapshot.generation,
    lag_snapshots: (await context.lag?.()) ?? null,
    took_ms: Math.round((performance.now() - started) * 1000) / 1000,
    bytes_read: cost.bytes,
  };
}

function locate(context: SearchContext, texts: readonly string[]) {
  const { snapshot } = context;
  const found = snapshot.find(encodeKey(texts));
  if (found === null) return null;
  return documentLocator(snapshot, snapshot.segments.indexOf(found.segment), found.doc);
}
