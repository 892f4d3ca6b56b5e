import type { ByteSink, ColumnKind, OutputColumn, OutputRow, RowWriter } from './columns.ts';
import { isoMicros } from './columns.ts';

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
        data: rows.map((row) => parquetValue(c.kind, row[c.name])),
      }));
      await sink(new Uint8Array(parquetWriteBuffer({ columnData })));
    },
  };
}

function parquetValue(kind: ColumnKind, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case 'long':
      return BigInt(value as string | number | bigint);
    case 'double':
      return Number(value);
    case 'timestamp':
      return isoMicros(value);
    case 'json':
      return JSON.stringify(value);
    case 'text':
      return String(value);
    default:
      return value;
  }
}
