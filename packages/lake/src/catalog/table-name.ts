import { LakeError } from '../base/errors.ts';

/** A table's name in two: its namespace (levels joined by dots) and the table itself. */
export interface TableName {
  readonly namespace: string;
  readonly table: string;
}

/** The tables of a catalog, `namespace.table`, sorted, and the namespaces that it did not list. */
export interface TableNames {
  readonly tables: readonly string[];
  readonly unread: readonly UnreadNamespace[];
}

/** A namespace whose tables could not be listed. */
export interface UnreadNamespace {
  readonly namespace: string;
  readonly reason: string;
}

/**
 * The levels of `namespace.table`. Throws invalid_argument for empty levels and for names that
 * could leave a folder.
 */
export function tableNameParts(name: string): readonly string[] {
  const parts = name.split('.');
  const bad = parts.some((part) => part === '' || /[/\\\0]/.test(part)) || name.length > 1000;
  if (!bad) return parts;
  throw new LakeError(
    'invalid_argument',
    `table name "${name.slice(0, 200)}" is not of the form namespace.table`,
    { details: { table: name.slice(0, 200) } },
  );
}

/**
 * Splits `namespace.table` at its last dot. Throws invalid_argument if there is no namespace.
 */
export function splitTableName(name: string): TableName {
  const parts = tableNameParts(name);
  if (parts.length < 2) {
    throw new LakeError(
      'invalid_argument',
      `table name "${name}" has no namespace; expected namespace.table, as in "my.${name}"`,
      { details: { table: name } },
    );
  }
  return { namespace: parts.slice(0, -1).join('.'), table: parts.at(-1)! };
}

/** The error of creating a table that is there. */
export function tableExists(name: string): LakeError {
  return new LakeError(
    'table_exists',
    `table "${name}" exists already; append to it or replace it`,
    { details: { table: name, option: 'table' } },
  );
}
