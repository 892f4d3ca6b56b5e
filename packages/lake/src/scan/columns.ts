import { LakeError } from '../base/errors.ts';
import type { Field, Schema } from '../schema/type.ts';
import { LAST_UPDATED, ROW_ID } from './projection.ts';

/**
 * The fields of top-level columns by name, in the order of `names`; all columns of the schema
 * if `names` is undefined. `_row_id` and `_last_updated_sequence_number` exist in format
 * version 3. Throws column_not_found.
 */
export function columnsOf(
  schema: Schema,
  names: readonly string[] | undefined,
  formatVersion: number,
): readonly Field[] {
  if (names === undefined) return schema.fields;
  const lineage = formatVersion >= 3 ? [ROW_ID, LAST_UPDATED] : [];
  const known = [...schema.fields, ...lineage];
  return names.map((name) => {
    const field = known.find((candidate) => candidate.name === name);
    if (field !== undefined) return field;
    throw new LakeError(
      'column_not_found',
      `column "${name}" is not in the table's schema; its columns are ` +
        known.map((candidate) => `"${candidate.name}"`).join(', '),
      { details: { column: name } },
    );
  });
}
