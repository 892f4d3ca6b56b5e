import { type Hit, type JsonObject, LhsError } from '@lakehouse-search/contract';
import type { Locator } from '@lakehouse-search/lake';
import { coordinatesOf, decodeKey, formatKey, type KeySpec } from '../../schema/keys/key.ts';
import type { SearchContext } from '../context.ts';
import { newerRows } from './newer-rows.ts';
import type { RequestedRow, RowCost } from './rows.ts';

/** What hydration found for a hit: its row, or why there is none. */
export type Hydrated = Pick<Hit, 'row_newer'> &
  ({ readonly row: JsonObject } | { readonly hydrate_error: string });

/** A hit to hydrate: its key and, where known, where its row was in the table. */
export interface HydratedDoc {
  readonly key: Uint8Array;
  readonly locator: Locator | null;
}

/**
 * The rows of a page, in order. Never fails on the source: a row that is gone, or a table that
 * cannot be read, becomes the hit's `hydrate_error`. Throws invalid_argument for columns that the
 * table does not have.
 */
export async function hydrate(
  context: SearchContext,
  docs: readonly HydratedDoc[],
  columns: readonly string[] | undefined,
  cost: RowCost,
): Promise<readonly Hydrated[]> {
  if (docs.length === 0) return [];
  const { mapping } = context;
  const requested = docs.map(({ key, locator }): RequestedRow => {
    return { texts: decodeKey(key), locator };
  });
  try {
    const read = await context.readRows(requested, columns, cost);
    const newer = newerRows(context, read);
    return read.rows.map((row, i): Hydrated => {
      if (row === null) return gone(mapping.key, docs[i].key);
      return newer(i) ? { row, row_newer: true } : { row };
    });
  } catch (error) {
    if (error instanceof LhsError && error.code === 'invalid_argument') throw error;
    const message = error instanceof Error ? error.message : String(error);
    return docs.map(() => ({ hydrate_error: message }));
  }
}

function gone(spec: KeySpec, key: Uint8Array): Hydrated {
  const name = formatKey(coordinatesOf(spec, key));
  return { hydrate_error: `row ${name} is no longer in the table: a sync would drop it` };
}
