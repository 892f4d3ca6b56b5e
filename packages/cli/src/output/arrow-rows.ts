import type { ByteSink, ColumnKind, OutputColumn, RowWriter } from './columns.ts';
import { type BatchLimits, RowBatches } from './row-batches.ts';

const BATCH: BatchLimits = { rows: 8192, bytes: 16 * 2 ** 20 };

/**
 * An Arrow IPC file (`arrow`) or stream (`arrows`, by the conventions of Arrow for file names) in
 * record batches of at most 8,192 rows, each written when it is full.
 * Columns of kind `json` are texts.
 */
export async function arrowWriter(
  sink: ByteSink,
  columns: readonly OutputColumn[],
  format: 'arrow' | 'arrows',
): Promise<RowWriter> {
  const arrow = await import('apache-arrow');
  const types: Record<ColumnKind, () => InstanceType<typeof arrow.DataType>> = {
    bool: () => new arrow.Bool(),
    int: () => new arrow.Int32(),
    long: () => new arrow.Int64(),
    double: () => new arrow.Float64(),
    text: () => new arrow.Utf8(),
    json: () => new arrow.Utf8(),
    timestamp: () => new arrow.TimestampMicrosecond('UTC'),
  };
  const schema = new arrow.Schema(
    columns.map((c) => arrow.Field.new(c.name, types[c.kind](), true)),
  );
  const chunks: Uint8Array[] = [];
  class Chunks extends arrow.AsyncByteQueue {
    override write(chunk: Uint8Array): void {
      chunks.push(chunk);
    }
  }
  const writer =
    format === 'arrow' ? new arrow.RecordBatchFileWriter() : new arrow.RecordBatchStreamWriter();
  writer.reset(new Chunks(), schema);
  const drain = async () => {
    for (const chunk of chunks.splice(0)) await sink(chunk);
  };
  const batches = new RowBatches(columns, BATCH, async ({ rows, values }) => {
    const children = columns.map((c, i) => {
      if (c.kind !== 'timestamp')
        return arrow.vectorFromArray(values[i]!, schema.fields[i].type).data[0];
      return arrow.makeData({ type: types.timestamp(), length: rows, ...micros(values[i]!) });
    });
    const type = new arrow.Struct(schema.fields);
    const struct = arrow.makeData({ type, length: rows, children });
    writer.write(new arrow.RecordBatch(schema, struct));
    await drain();
  });
  return {
    write: (row) => batches.add(row),
    end: async () => {
      await batches.flush();
      writer.finish();
      await drain();
    },
  };
}

/**
 * Microseconds and their validity bitmap: Arrow's own builder counts in milliseconds and would
 * round.
 */
function micros(values: readonly unknown[]) {
  const data = new BigInt64Array(values.length);
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  let nullCount = 0;
  values.forEach((value, i) => {
    if (typeof value === 'bigint') {
      data[i] = value;
      nullBitmap[i >> 3] |= 1 << (i & 7);
    } else nullCount++;
  });
  return { data, nullBitmap, nullCount };
}
