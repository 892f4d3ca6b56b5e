import type { FieldDescription, ModeRequest } from '@lakehouse-search/contract';

const MOST_TEXTS = 2;
/** Hits of a page whose rows are read for display, at most. */
export const MAX_ROWS = 200;

/**
 * Columns of the table that are shown if the index caches no text: those of the first TEXT fields,
 * or of KEYWORD fields if there are none. Empty if the index caches a text or keyword itself.
 */
export function displayColumns(
  fields: readonly FieldDescription[],
  keys: readonly string[] = [],
): readonly string[] {
  if (fields.some(({ type, cached }) => cached && (type === 'TEXT' || type === 'KEYWORD')))
    return [];
  const of = (type: string) =>
    fields
      .filter((field) => field.type === type && field.path === undefined && !field.multi_valued)
      .flatMap(({ source }) => source.slice(0, 1))
      .filter((column) => !column.includes('.') && !keys.includes(column));
  const texts = of('TEXT');
  return [...new Set(texts.length > 0 ? texts : of('KEYWORD'))].slice(0, MOST_TEXTS);
}

/** The search with those columns of each hit's row, unless it reads rows or is too large. */
export function withRowTexts(search: ModeRequest, columns: readonly string[]): ModeRequest {
  const { hydrate, limit = 10 } = search.request;
  if (columns.length === 0 || hydrate === true || limit > MAX_ROWS) return search;
  const rows = { hydrate: true, hydrate_columns: columns };
  switch (search.mode) {
    case 'lexical':
      return { mode: search.mode, request: { ...search.request, ...rows } };
    case 'semantic':
      return { mode: search.mode, request: { ...search.request, ...rows } };
    case 'hybrid':
      return { mode: search.mode, request: { ...search.request, ...rows } };
  }
}
