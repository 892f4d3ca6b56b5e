import type { DuckDBResult } from '@duckdb/node-api';
import type duckdb from '@duckdb/node-bindings';
import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import type { LeafNode } from '../../parquet/schema-tree.ts';
import type { Field } from '../../schema/type.ts';
import type { ColumnVector } from '../batch.ts';
import type { LockedDuckDb } from './instance.ts';
import { bindings } from './library.ts';
import { quoteName, quoteText } from './quoting.ts';
import { readVector } from './raw-vectors.ts';
import { duckType } from './sql-types.ts';

/** A column of a Parquet file: its name there, and the field as which it is read. */
export interface DuckColumn {
  readonly name: string;
  readonly field: Field;
}

/** Rows of a file that follow one another: `firstRow` is the ordinal of the first. */
export interface ScannedRows {
  readonly firstRow: number;
  readonly rows: number;
  readonly columns: readonly ColumnVector[];
}

/**
 * All rows of a Parquet file in file order, in chunks of at most 2,048, their columns as `columns`
 * has them. `duckReads` must have said yes. Errors are DuckDB's own, or ChunkTooLarge for rows that
 * are more than `LIMITS.batchBytes`; the caller decides what they mean.
 */
export async function* scanParquet(
  db: LockedDuckDb,
  path: string,
  columns: readonly DuckColumn[],
): AsyncGenerator<ScannedRows> {
  const result = await db.stream(scanQuery(path, columns));
  let firstRow = 0;
  for (
    let chunk = await nextChunk(db, result);
    chunk !== null;
    chunk = await nextChunk(db, result)
  ) {
    const rows = bindings().data_chunk_get_size(chunk);
    const budget = { bytes: LIMITS.batchBytes };
    yield {
      firstRow,
      rows,
      columns: columns.map(({ field }, i) => {
        const vector = bindings().data_chunk_get_vector(chunk as duckdb.DataChunk, i);
        return readVector(vector, rows, field.type, budget);
      }),
    };
    firstRow += rows;
  }
}

/**
 * Bytes of the texts of top-level columns in the heaviest 2,048 rows of a file, counted from
 * multiples of 2,048. DuckDB copies no text for it, however often a dictionary is referred to.
 */
export async function heaviestRows(
  db: LockedDuckDb,
  path: string,
  leaves: readonly LeafNode[],
): Promise<number> {
  const sizes = leaves.map(({ name, logical }) => {
    const size = logical.kind === 'string' ? 'strlen' : 'octet_length';
    return `coalesce(${size}(${quoteName(name)}), 0)`;
  });
  const result = await db.stream(
    `SELECT max(bytes)::DOUBLE FROM (SELECT sum(${sizes.join(' + ')}) AS bytes
     FROM read_parquet(${quoteText(path)}, hive_partitioning = false, file_row_number = true)
     GROUP BY file_row_number // ${CHUNK_ROWS})`,
  );
  const [[bytes]] = (await db.guard(() => result.getRows())) as [[number]];
  return bytes;
}

const CHUNK_ROWS = 2048;

function scanQuery(path: string, columns: readonly DuckColumn[]): string {
  const list = columns.map(({ name, field }) => {
    const type = duckType(field.type);
    if (type === null) throw new LakeError('internal', `no DuckDB type for "${field.name}"`);
    return `CAST(${quoteName(name)} AS ${type})`;
  });
  const selected = list.length > 0 ? list.join(', ') : '1';
  return (
    `SELECT ${selected} FROM read_parquet(${quoteText(path)}, hive_partitioning = false, ` +
    'union_by_name = false)'
  );
}

async function nextChunk(db: LockedDuckDb, result: DuckDBResult): Promise<duckdb.DataChunk | null> {
  const chunk = await db.guard(() => result.fetchChunk());
  return chunk === null || chunk.rowCount === 0 ? null : chunk.chunk;
}
