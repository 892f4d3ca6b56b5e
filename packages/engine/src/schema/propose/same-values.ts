import type { SourceTable } from '@lakehouse-search/lake';
import type { Sample } from './sample-columns.ts';

/** The column that an import makes of the keys of a JSON object. */
export const KEY_COLUMN = 'key';

/**
 * The column that has the values of the column `key` in all rows of the sample, as objects have
 * that repeat their key. undefined: there is none, or `key` is an identifier field.
 */
export function sameAsKey({ schema }: SourceTable, { columns, rows }: Sample): string | undefined {
  const keys = columns.get(KEY_COLUMN);
  if (keys === undefined || rows < 2 || schema.identifierFieldIds.length > 0) return undefined;
  const isSame = (name: string) => columns.get(name)?.every((value, i) => value === keys[i]);
  return schema.fields.find(({ name }) => name !== KEY_COLUMN && isSame(name))?.name;
}
