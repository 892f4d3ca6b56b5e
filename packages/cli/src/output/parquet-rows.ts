import type { parquetWriteBuffer } from 'hyparquet-writer';
import type { ByteSink, ColumnKind, OutputColumn, OutputRow, RowWriter } from './columns.ts';
import { typedValue } from './columns.ts';

type SchemaElement = NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']>[number];
type Physical = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>;
const TEXT: Physical = { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
const TYPES: Readonly<Record<ColumnKind, Physical>> = {
  bool: { type: 'BOOLEAN' },
  int: { type: 'INT32' },
  long: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  text: TEXT,
  json: TEXT,
  timestamp: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

/**
 * A Parquet file (hyparquet-writer); columns of kind `json` are texts, timestamps are microseconds
 * in UTC. Rows are held until the end.
 */
export async function parquetWriter(
  sink: ByteSink,
  columns: readonly OutputColumn[],
): Promise<RowWriter> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const rows: OutputRow[] = [];
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map((c): SchemaElement => {
      return { name: c.name, repetition_type: 'OPTIONAL', ...TYPES[c.kind] };
    }),
  ];
  return {
    write: (row) => void rows.push(row),
    end: async () => {
      const columnData = columns.map((c) => ({
        name: c.name,
        data: rows.map((row) => typedValue(c.kind, row[c.name])),
      }));
      await sink(new Uint8Array(parquetWriteBuffer({ columnData, schema })));
    },
  };
}
