import type { ByteSink, ColumnKind, OutputColumn, OutputRow, RowWriter } from './columns.ts';
import { typedValue } from './columns.ts';

const BATCH = 8192;

/** An Arrow IPC stream; batches of 8,192 rows. Columns of kind `json` are texts. */
export async function arrowWriter(
  sink: ByteSink,
  columns: readonly OutputColumn[],
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
  const writer = new arrow.RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  let rows: OutputRow[] = [];
  const flush = () => {
    const children = columns.map((c, i) => {
      const values = rows.map((row) => typedValue(c.kind, row[c.name]));
      if (c.kind !== 'timestamp')
        return arrow.vectorFromArray(values, schema.fields[i].type).data[0];
      return arrow.makeData({ type: types.timestamp(), length: values.length, ...micros(values) });
    });
    const struct = arrow.makeData({
      type: new arrow.Struct(schema.fields),
      length: rows.length,
      children,
    });
    writer.write(new arrow.RecordBatch(schema, struct));
    rows = [];
  };
  return {
    write: (row) => {
      rows.push(row);
      if (rows.length === BATCH) flush();
    },
    end: async () => {
      flush();
      writer.finish();
      for await (const chunk of writer) await sink(chunk as Uint8Array);
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
