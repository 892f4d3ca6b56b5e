import type { ColumnKind, OutputColumn, OutputRow } from './columns.ts';

/**
 * The kind of a column of which only JSON values are known: true and false are `bool`, whole
 * numbers `long`, numbers `double`, all else that is no object `text`; a column of several kinds is
 * `json`, one without values `text`.
 */
export function kindOfValues(values: Iterable<unknown>): ColumnKind {
  let kind: ColumnKind | null = null;
  for (const value of values) {
    if (value === null || value === undefined) continue;
    const own = kindOf(value);
    if (kind === null || kind === own) kind = own;
    else if (isNumber(kind) && isNumber(own)) kind = 'double';
    else return 'json';
  }
  return kind ?? 'text';
}

/** Columns with these names and the kinds of their values in the rows. */
export function columnsOf(names: readonly string[], rows: readonly OutputRow[]): OutputColumn[] {
  return names.map((name) => ({ name, kind: kindOfValues(rows.map((row) => row[name])) }));
}

const isNumber = (kind: ColumnKind): boolean => kind === 'long' || kind === 'double';

function kindOf(value: unknown): ColumnKind {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'long';
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'long' : 'double';
    case 'string':
      return 'text';
    default:
      return 'json';
  }
}
