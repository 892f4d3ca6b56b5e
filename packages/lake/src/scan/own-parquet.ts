import { openParquetFile } from '../parquet/parquet-file.ts';
import { planColumns } from '../parquet/read-plan.ts';
import { type BlockOptions, readBlocks } from '../parquet/read-rows.ts';
import type { NameMapping } from '../schema/name-mapping.ts';
import type { Field } from '../schema/type.ts';
import type { PlacedFile } from './check-pages.ts';
import type { FileRows } from './file-rows.ts';
import { vectorOf } from './vectors.ts';

const BLOCK_ROWS = 2048;

/** The columns of a Parquet file that are wanted. */
export interface OwnRead extends PlacedFile {
  readonly nameMapping: NameMapping | null;
  readonly fields: readonly Field[];
}

/**
 * Rows of a Parquet file from `firstRow` on, those before `endRow`, read by our own reader. Errors
 * name the file.
 */
export function readOwnParquet(
  read: OwnRead,
  firstRow: number,
  endRow?: number,
): AsyncGenerator<FileRows> {
  return readOwn(read, { firstRow, ...(endRow === undefined ? {} : { endRow }) });
}

/** The rows at `positions`, ascending; only the pages that hold them are read. */
export async function* readOwnRows(read: OwnRead, positions: Int32Array): AsyncGenerator<FileRows> {
  for await (const { firstRow: at, rows, columns } of readOwn(read, { positions })) {
    yield { firstRow: 0, positions: positions.subarray(at, at + rows), rows, columns };
  }
}

/** Errors name the file. */
async function* readOwn(read: OwnRead, options: BlockOptions): AsyncGenerator<FileRows> {
  const { place, nameMapping, fields } = read;
  const file = await openParquetFile(await read.open(), { role: place.role });
  try {
    const plans = planColumns(file.schema, fields, { by: 'id', nameMapping }, place);
    for await (const block of readBlocks(file, plans, { ...options, blockRows: BLOCK_ROWS })) {
      const columns = block.columns.map((values, i) => vectorOf(fields[i].type, values));
      yield { firstRow: block.firstRow, rows: block.rows, columns };
    }
  } finally {
    await file.close();
  }
}
