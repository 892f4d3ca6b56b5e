import type { IndexDescription, KeysResponse } from '@lakehouse-search/contract';
import { columnsOf } from '../output/value-kinds.ts';
import type { RowTable } from '../output/write-answer.ts';
import { keyCells, keyColumns } from './field-columns.ts';

/** Rows by key as one table: `key.<name>`, then the columns of the table by their names. */
export function rowTable(answer: KeysResponse, index: IndexDescription): RowTable {
  const rows = answer.rows.map(({ key, fields }) => ({ ...fields, ...keyCells(key) }));
  const names = new Set(answer.rows.flatMap((row) => Object.keys(row.fields)));
  const keys = keyColumns(index);
  for (const { name } of keys) names.delete(name);
  const records = answer.rows.map((row) => ({ ...row }));
  return { columns: [...keys, ...columnsOf([...names], rows)], rows, records };
}
