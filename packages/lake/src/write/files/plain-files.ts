import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { TableFiles } from '../../base/files/table-files.ts';
import { plainParquet } from '../../parquet/plain-file.ts';
import type { PartitionSpec } from '../../schema/partition-spec.ts';
import type { Schema, Value } from '../../schema/type.ts';
import type { PlainRows } from '../rows/plain-rows.ts';
import type { NewDataFile } from './data-files.ts';
import { valueStatistics } from './file-statistics.ts';
import { partitionFolder, partitionRows } from './partitions.ts';

/**
 * Writes plain rows as Parquet files with field ids, one a partition, as `writeDataFiles` does. On
 * a failure the files written so far are removed.
 */
export async function writePlainFiles(
  rows: PlainRows,
  schema: Schema,
  spec: PartitionSpec,
  files: TableFiles,
): Promise<readonly NewDataFile[]> {
  const written: NewDataFile[] = [];
  try {
    for (const { tuple, members } of partitionRows(rows, schema, spec)) {
      const columns = rows.columns.map((column) => members.map((row) => column[row]));
      const folder = partitionFolder(spec, tuple);
      written.push(
        await writeFileOf({ rows: members.length, columns }, schema, files, folder, tuple),
      );
    }
    return written;
  } catch (error) {
    await files.store.remove(written.map((f) => f.real));
    throw error;
  }
}

async function writeFileOf(
  { rows, columns }: PlainRows,
  schema: Schema,
  files: TableFiles,
  folder: string,
  partition: readonly Value[],
): Promise<NewDataFile> {
  const bytes = plainParquet(schema.fields, columns, rows);
  const recorded = files.record(join('data', folder, `${randomUUID()}.parquet`));
  const real = files.resolve(recorded);
  await files.store.write(real, bytes);
  const statistics = valueStatistics(schema, columns, rows);
  return { ...statistics, recorded, real, partition, fileSize: bytes.length };
}
