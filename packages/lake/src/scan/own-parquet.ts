import type { FaultPlace } from '../parquet/fault.ts';
import { openParquet } from '../parquet/parquet-file.ts';
import { planColumns } from '../parquet/read-plan.ts';
import { readBlocks } from '../parquet/read-rows.ts';
import type { NameMapping } from '../schema/name-mapping.ts';
import type { Field } from '../schema/type.ts';
import type { FileRows } from './file-rows.ts';
import { vectorOf } from './vectors.ts';

const BLOCK_ROWS = 2048;

/** Rows of a Parquet file from `firstRow` on, read by our own reader. Errors name the file. */
export async function* readOwnParquet(options: {
  readonly place: FaultPlace;
  readonly nameMapping: NameMapping | null;
  readonly fields: readonly Field[];
  readonly firstRow: number;
}): AsyncGenerator<FileRows> {
  const { place, nameMapping, fields, firstRow } = options;
  const file = await openParquet(place.path, { role: place.role });
  try {
    const plans = planColumns(file.schema, fields, { by: 'id', nameMapping }, place);
    for await (const block of readBlocks(file, plans, { firstRow, blockRows: BLOCK_ROWS })) {
      const columns = block.columns.map((values, i) => vectorOf(fields[i].type, values));
      yield { firstRow: block.firstRow, rows: block.rows, columns };
    }
  } finally {
    await file.close();
  }
}
