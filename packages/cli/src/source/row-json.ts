import {
  type Batch,
  type Field,
  type Row,
  type Value,
  valueAt,
  valueToJson,
} from '@lakehouse-search/lake';
import type { OutputRow } from '../output/columns.ts';

/** Rows of a batch in their JSON form (docs/command-line.md, Values in JSON). */
export function* batchRows(batch: Batch, fields: readonly Field[]): Generator<OutputRow> {
  for (let i = 0; i < batch.rows; i++) {
    const row: Record<string, unknown> = {};
    fields.forEach((field, c) => {
      row[field.name] = valueToJson(field.type, valueAt(batch.columns[c], i));
    });
    yield row;
  }
}

/** A row of values in its JSON form; columns that `fields` does not name are left out. */
export function rowJson(row: Row, fields: readonly Field[]): OutputRow {
  const out: Record<string, unknown> = {};
  for (const field of fields) {
    if (field.name in row) out[field.name] = valueToJson(field.type, row[field.name] as Value);
  }
  return out;
}
