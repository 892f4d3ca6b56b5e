import { arrowWriter } from './arrow-rows.ts';
import { type ByteSink, type OutputColumn, type RowWriter, stdoutSink } from './columns.ts';
import { parquetWriter } from './parquet-rows.ts';
import type { RowFormat } from './row-formats.ts';
import { csvWriter, ndjsonWriter } from './text-rows.ts';

/** A writer of rows in a format. */
export async function rowWriter(
  format: RowFormat,
  columns: readonly OutputColumn[],
  sink: ByteSink = stdoutSink,
): Promise<RowWriter> {
  switch (format) {
    case 'ndjson':
      return ndjsonWriter(sink);
    case 'csv':
      return csvWriter(sink, columns);
    case 'arrow':
    case 'arrows':
      return arrowWriter(sink, columns, format);
    case 'parquet':
      return parquetWriter(sink, columns);
  }
}
