import type { ParquetWriter } from 'hyparquet-writer';
import type { ByteSink, ColumnKind, OutputColumn, RowWriter } from './columns.ts';
import { type BatchLimits, RowBatches } from './row-batches.ts';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
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
 * Rows per row group. Memory does not grow with the file: a group is written when it is full.
 */
const GROUP: BatchLimits = { rows: 65_536, bytes: 16 * 2 ** 20 };

/**
 * A Parquet file (hyparquet-writer) in row groups of at most 65,536 rows; columns of kind `json`
 * are texts, timestamps are microseconds in UTC.
 */
export async function parquetWriter(
  sink: ByteSink,
  columns: readonly OutputColumn[],
): Promise<RowWriter> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map((c): SchemaElement => {
      return { name: c.name, repetition_type: 'OPTIONAL', ...TYPES[c.kind] };
    }),
  ];
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({ writer: bytes, schema });
  const drain = async () => {
    const written = new Uint8Array(bytes.getBuffer());
    bytes.index = 0;
    await sink(written);
  };
  const batches = new RowBatches(columns, GROUP, async ({ rows, values }) => {
    const columnData = columns.map(({ name }, i) => ({ name, data: values[i]! }));
    await parquet.write({ columnData, rowGroupSize: rows });
    await drain();
  });
  return {
    write: (row) => batches.add(row),
    end: async () => {
      await batches.flush();
      await parquet.finish();
      await drain();
    },
  };
}
