import type { ByteCost, ParquetFile } from '../src/parquet/parquet-file.ts';
import type { ReadPlan } from '../src/parquet/read-plan.ts';
import { readBlocks, readKeptRows } from '../src/parquet/read-rows.ts';
import type { Value } from '../src/schema/type.ts';

type Columns = readonly (readonly Value[])[];

let calls = 0;

/** The values of columns at row positions, without rows of earlier calls. */
export const readRows = (
  file: ParquetFile,
  plans: readonly ReadPlan[],
  positions: Int32Array,
  cost?: ByteCost,
): Promise<Columns> => readKeptRows(file, plans, `call ${++calls}`, positions, cost);

/** All rows of a file, column by column. */
export async function readWhole(file: ParquetFile, plans: readonly ReadPlan[]): Promise<Columns> {
  const columns: Value[][] = plans.map(() => []);
  for await (const block of readBlocks(file, plans)) {
    block.columns.forEach((values, c) => {
      for (const value of values) columns[c].push(value);
    });
  }
  return columns;
}
