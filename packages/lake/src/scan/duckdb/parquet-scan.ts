import type { DuckDBResult } from '@duckdb/node-api';
import type duckdb from '@duckdb/node-bindings';
import { LakeError } from '../../base/errors.ts';
import type { Field } from '../../schema/type.ts';
import type { ColumnVector } from '../batch.ts';
import { type LockedDuckDb, quoteName, quoteText } from './instance.ts';
import { bindings } from './library.ts';
import { readVector } from './raw-vectors.ts';
import { duckType } from './sql-types.ts';

/** A column of a Parquet file: its name there, and the field as which it is read. */
export interface DuckColumn {
  readonly name: string;
  readonly field: Field;
}

/** Rows of a file that follow one another: `firstRow` is the ordinal of the first. */
export interface FileRows {
  readonly firstRow: number;
  readonly rows: number;
  readonly columns: readonly ColumnVector[];
}

/**
 * All rows of a Parquet file in file order, in chunks of at most 2,048, their columns as `columns`
 * has them. `duckReads` must have said yes. Errors are DuckDB's own; the caller decides what they
 * mean.
 */
export async function* scanParquet(
  db: LockedDuckDb,
  path: string,
  columns: readonly DuckColumn[],
): AsyncGenerator<FileRows> {
  const result = await db.stream(scanQuery(path, columns));
  let firstRow = 0;
  for (
    let chunk = await nextChunk(db, result);
    chunk !== null;
    chunk = await nextChunk(db, result)
  ) {
    const rows = bindings().data_chunk_get_size(chunk);
    yield {
      firstRow,
      rows,
      columns: columns.map(({ field }, i) =>
        readVector(
          bindings().data_chunk_get_vector(chunk as duckdb.DataChunk, i),
          rows,
          field.type,
        ),
      ),
    };
    firstRow += rows;
  }
}

function scanQuery(path: string, columns: readonly DuckColumn[]): string {
  const list = columns.map(({ name, field }) => {
    const type = duckType(field.type);
    if (type === null) throw new LakeError('internal', `no DuckDB type for "${field.name}"`);
    return `CAST(${quoteName(name)} AS ${type})`;
  });
  const selected = list.length > 0 ? list.join(', ') : '1';
  return `SELECT ${selected} FROM read_parquet(${quoteText(path)}, hive_partitioning = false, union_by_name = false)`;
}

async function nextChunk(db: LockedDuckDb, result: DuckDBResult): Promise<duckdb.DataChunk | null> {
  const chunk = await db.guard(() => result.fetchChunk());
  return chunk === null || chunk.rowCount === 0 ? null : chunk.chunk;
}
