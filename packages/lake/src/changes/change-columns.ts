import { columnsOf } from '../scan/columns.ts';
import type { Field } from '../schema/type.ts';
import type { ChangesOptions } from '../source-table.ts';
import type { ChangeSource } from './change-source.ts';

/** The columns of a change set: `fields` are the key's, then the others. */
export interface ChangeColumns {
  readonly fields: readonly Field[];
  readonly keyCount: number;
}

/** The key's fields, then the other columns without those of the key. Throws column_not_found. */
export function changeColumns(source: ChangeSource, options: ChangesOptions): ChangeColumns {
  const schema = options.schema ?? source.metadata.schema;
  const { formatVersion } = source.metadata;
  const key = columnsOf(schema, options.key, formatVersion);
  const others = columnsOf(schema, options.columns, formatVersion);
  const ids = new Set(key.map((field) => field.id));
  return {
    fields: [...key, ...others.filter((field) => !ids.has(field.id))],
    keyCount: key.length,
  };
}
