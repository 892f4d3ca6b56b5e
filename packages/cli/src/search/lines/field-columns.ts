import type {
  Coordinates,
  FieldDescription,
  IndexDescription,
  KeysResponse,
} from '@lakehouse-search/contract';
import type { ColumnKind, OutputColumn, OutputRow } from '../../output/columns.ts';
import { columnsOf } from '../../output/value-kinds.ts';
import type { RowTable } from '../../output/write-answer.ts';

/** Rows by key as one table: `key_<name>`, then the columns of the table by their names. */
export function rowTable(answer: KeysResponse, index: IndexDescription): RowTable {
  const rows = answer.rows.map(({ key, fields }) => ({ ...fields, ...keyCells(key) }));
  const names = new Set(answer.rows.flatMap((row) => Object.keys(row.fields)));
  const keys = keyColumns(index);
  for (const { name } of keys) names.delete(name);
  const records = answer.rows.map((row) => ({ ...row }));
  return { columns: [...keys, ...columnsOf([...names], rows)], rows, records };
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  LONG: 'long',
  DOUBLE: 'double',
  BOOL: 'bool',
  DATE: 'timestamp',
};

/** The kinds of key columns; all other types travel as their texts. */
const KEY_KINDS: Readonly<Record<string, ColumnKind>> = {
  int: 'long',
  long: 'long',
};

/** The columns of an index's key: `key_<name>`, with the types that the table's columns have. */
export function keyColumns({ key }: Pick<IndexDescription, 'key'>): OutputColumn[] {
  const names = [...key.partition, ...key.identifier];
  return names.map((name, i) => {
    return { name: `key_${name}`, kind: KEY_KINDS[key.types?.[i] ?? ''] ?? 'text' };
  });
}

/** Columns for fields; one with several values in a document travels as JSON. */
export function fieldColumns(fields: readonly FieldDescription[]): OutputColumn[] {
  return fields.map(({ name, type, multi_valued }) => {
    return { name, kind: multi_valued ? 'json' : (KINDS[type] ?? 'text') };
  });
}

/** A key as the cells of `keyColumns`. */
export function keyCells({ partition = [], identifier }: Coordinates): OutputRow {
  return Object.fromEntries([...partition, ...identifier].map((p) => [`key_${p.name}`, p.value]));
}
