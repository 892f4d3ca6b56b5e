/** Tables whose files were reported: one warning per table and process. */
const warned = new Set<string>();

/** A file whose length differs from its manifest entry. */
export interface LengthDifference {
  /** The table's location. */
  readonly table: string;
  readonly role: 'data' | 'delete';
  readonly path: string;
  /** Bytes of the file, and bytes in the manifest. */
  readonly actual: number;
  readonly recorded: number;
}

/**
 * Warns of the first Parquet file of a table whose length differs from its manifest entry. Some
 * writers record wrong lengths. Such a file is read if its own footer is whole and its number of
 * rows agrees, which the caller checks. The warning is a process warning of the name `LhsWarning`.
 */
export function warnOfLength({ table, role, path, actual, recorded }: LengthDifference): void {
  if (warned.has(table)) return;
  warned.add(table);
  process.emitWarning(
    `table "${table}": ${role} file "${path}" has ${actual} bytes, its manifest says ` +
      `${recorded}; ` +
      'it is read because its footer is whole and its rows agree (other files of the ' +
      'table are not named)',
    'LhsWarning',
  );
}
