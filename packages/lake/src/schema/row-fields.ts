import type { Field, Schema } from './type.ts';

/** Row lineage of format version 3 (format/spec.md, "Row Lineage"). */
export const ROW_ID: Field = lineageField(2_147_483_540, '_row_id');
/** The sequence number of the commit that last changed the row. */
export const LAST_UPDATED: Field = lineageField(2_147_483_539, '_last_updated_sequence_number');

function lineageField(id: number, name: string): Field {
  return Object.freeze({ id, name, required: false, type: Object.freeze({ kind: 'long' }) });
}

/**
 * A column that no file stores: the row's data file and position as text (scan/row-key.ts). Its
 * field id is the last of those that the format reserves.
 */
export const ROW_KEY: Field = Object.freeze({
  id: 2_147_483_447,
  name: '_row',
  required: true,
  type: Object.freeze({ kind: 'string' }),
});

/** A schema with one more field, unless another one has its name. */
export function withField(schema: Schema, field: Field): Schema {
  if (schema.fields.some(({ name }) => name === field.name)) return schema;
  return Object.freeze({ ...schema, fields: [...schema.fields, field] });
}
