import { LakeError } from '../base/errors.ts';
import { LAST_UPDATED, ROW_ID, ROW_KEY } from '../schema/row-fields.ts';
import { typeName } from '../schema/schema-json.ts';
import { type Field, isReadable, readableFields, type Schema } from '../schema/type.ts';

/**
 * The fields of top-level columns by name, in the order of `names`; all columns that are read if
 * `names` is undefined. `_row_id` and `_last_updated_sequence_number` exist in format
 * version 3, `_row` in each. Throws column_not_found, unsupported.
 */
export function columnsOf(
  schema: Schema,
  names: readonly string[] | undefined,
  formatVersion: number,
): readonly Field[] {
  if (names === undefined) return readableFields(schema);
  const lineage = formatVersion >= 3 ? [ROW_ID, LAST_UPDATED] : [];
  const known = [...schema.fields, ...lineage];
  return names.map((name) => {
    const field = [...known, ROW_KEY].find((candidate) => candidate.name === name);
    if (field !== undefined) return requireReadable(field);
    throw new LakeError(
      'column_not_found',
      `column "${name}" is not in the table's schema; its columns are ` +
        known.map((candidate) => `"${candidate.name}"`).join(', '),
      { details: { column: name } },
    );
  });
}

/** Throws `unsupported` for a column whose values are not read. */
export function requireReadable(field: Field): Field {
  if (isReadable(field.type)) return field;
  throw new LakeError(
    'unsupported',
    `column "${field.name}" has the type ${typeName(field.type)}, which is not supported; name ` +
      'the other columns',
    { details: { column: field.name } },
  );
}
