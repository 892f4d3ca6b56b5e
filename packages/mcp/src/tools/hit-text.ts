import type { Json, JsonObject } from '@lakehouse-search/contract';
import { shown, valueLines } from '../base/data-text.ts';
import { type HitView, viewJson } from './hit-view.ts';

/** Hits as a table: a header, and a line per hit. */
export interface HitTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Json[])[];
}

/** Hits above this number are shown as a table. */
export const TABLE_HITS = 20;

/** One line per hit with its key, then its values, one per line. */
export function hitLines(hits: readonly HitView[]): readonly string[] {
  return hits.flatMap(({ index, key, hash, score, sort, fields, highlight, row, ...flags }) => {
    const head = [
      ...(index === undefined ? [] : [index]),
      key,
      ...(score === undefined ? [] : [String(score)]),
      ...(hash === undefined ? [] : [`#${hash}`]),
    ];
    const marks: JsonObject = highlight === undefined ? {} : { highlight };
    const values = { ...sort, ...(row ?? fields), ...marks, ...(flags as JsonObject) };
    return [head.join(' '), ...valueLines(values)];
  });
}

/** The same hits as a table. */
export function hitTable(hits: readonly HitView[]): HitTable {
  const cells = hits.map((hit): JsonObject => {
    const { sort, fields, ...rest } = hit;
    return { ...viewJson(rest), ...sort, ...fields };
  });
  const columns = [...new Set(cells.flatMap((hit) => Object.keys(hit)))];
  return { columns, rows: cells.map((hit) => columns.map((name) => hit[name] ?? null)) };
}

/** A table with tabs between its cells. */
export const tableLines = ({ columns, rows }: HitTable): readonly string[] =>
  [columns, ...rows].map((cells) =>
    cells.map((cell) => (cell === null ? '' : shown(cell))).join('\t'),
  );
