import type { Json, JsonObject } from '@lakehouse-search/contract';
import { type HitView, viewJson } from './hit-view.ts';

/** Hits as a table: a header, and a row per hit. */
export interface HitTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Json[])[];
}

/** Hits above this number are a table, and have no citations. */
export const TABLE_HITS = 20;

/** Hits as a table of a structured response. */
export function hitTable(hits: readonly HitView[]): HitTable {
  const cells = hits.map((hit): JsonObject => {
    const { sort, fields, hash: _, ...rest } = hit;
    return { ...viewJson(rest), ...sort, ...fields };
  });
  const columns = [...new Set(cells.flatMap((hit) => Object.keys(hit)))];
  return { columns, rows: cells.map((hit) => columns.map((name) => hit[name] ?? null)) };
}
