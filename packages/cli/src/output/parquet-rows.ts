import type { ByteSink, ColumnKind, OutputColumn, OutputRow, RowWriter } from './columns.ts';
import { typedValue } from './columns.ts';

const TYPES = {
  bool: 'BOOLEAN',
  int: 'INT32',
  long: 'INT64',
  double: 'DOUBLE',
  text: 'STRING',
  json: 'STRING',
  timestamp: 'INT64',
} as const satisfies Record<ColumnKind, string>;

/**
 * A Parquet file (hyparquet-writer); columns of kind `json` are texts. Rows are held until the end.
 */
export async function parquetWriter(
  sink: ByteSink,
  columns: readonly OutputColumn[],
): Promise<RowWriter> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const rows: OutputRow[] = [];
  return {
    write: (row) => void rows.push(row),
    end: async () => {
      const columnData = columns.map((c) => ({
        name: c.name,
        type: TYPES[c.kind],
        nullable: true,
        data: rows.map((row) => typedValue(c.kind, row[c.name])),
      }));
      await sink(new Uint8Array(parquetWriteBuffer({ columnData })));
    },
  };
}
