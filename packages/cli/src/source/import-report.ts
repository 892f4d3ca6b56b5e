import { type InputReading, type Schema, typeName } from '@lakehouse-search/lake';
import { plural } from '../terminal/figures.ts';

const FORMATS = Object.freeze({ parquet: 'Parquet', csv: 'CSV', json: 'JSON' });
const DELIMITERS: Readonly<Record<string, string>> = { '\t': 'tab' };

/** Columns that a line names; a wide table has thousands. */
const MOST_COLUMNS = 100;

/** `read as CSV (gzip, delimiter ";", names from line 1)`: what was guessed of an input. */
export function readingLine({ format, compression, delimiter }: InputReading): string {
  const parts: string[] = compression === null ? [] : [compression];
  if (delimiter !== null) {
    parts.push(`delimiter ${DELIMITERS[delimiter] ?? `"${delimiter}"`}`, 'names from line 1');
  }
  const how = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  const types = format === 'parquet' ? 'types of the files' : 'types from all values';
  return `read as ${FORMATS[format]}${how}, ${types}`;
}

/** `16 columns: sku string key, price double, …`. */
export function schemaLine({ fields, identifierFieldIds }: Schema): string {
  const names = fields.slice(0, MOST_COLUMNS).map(({ id, name, type }) => {
    const key = identifierFieldIds.includes(id) ? ' key' : '';
    return `${name} ${typeName(type)}${key}`;
  });
  if (fields.length > MOST_COLUMNS) names.push(`… ${fields.length - MOST_COLUMNS} more`);
  return `${plural(fields.length, 'column')}: ${names.join(', ')}`;
}

/** The columns of a new table for JSON. */
export function schemaColumns({ fields, identifierFieldIds }: Schema): readonly object[] {
  return fields.map(({ id, name, type }) => ({
    name,
    type: typeName(type),
    key: identifierFieldIds.includes(id),
  }));
}
