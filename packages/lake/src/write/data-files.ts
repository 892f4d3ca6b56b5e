import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { makeFolder } from '../base/new-files.ts';
import type { TableFiles } from '../base/table-files.ts';
import { quoteName, quoteText } from '../scan/duckdb/instance.ts';
import type { PartitionSpec } from '../schema/partition-spec.ts';
import type { Schema, Value } from '../schema/type.ts';
import { type FileStatistics, fileStatistics } from './file-statistics.ts';
import { assignPartitions, partitionFolder } from './partitions.ts';
import { fieldIdsOption, sqlType } from './sql-type.ts';
import type { WriterSession } from './writer-session.ts';

/** A data file that no snapshot names yet. `recorded` is its path as metadata will say it. */
export interface NewDataFile extends FileStatistics {
  readonly recorded: string;
  readonly real: string;
  /** Default parquet. */
  readonly format?: 'parquet' | 'avro';
  readonly partition: readonly Value[];
  readonly fileSize: number;
}

/**
 * Rows of a row group, and so of a page of ours at most: small enough that a row looked up by its
 * place costs 2 MB of reading, not 12, for 0.2 % more bytes (bench/RESULTS.md).
 */
const ROW_GROUP = 20_480;

/**
 * Writes the rows of a SELECT as Parquet files with field ids, one a partition:
 * 1. the rows go to a table in memory with the exact types of the schema; required columns are
 * checked for null;
 * 2. partition tuples are computed from the source columns by the spec's transforms;
 * 3. each partition is copied to a file of its own, in input order, and its statistics are read
 * back. On a failure the files written so far are removed.
 */
export async function writeDataFiles(
  session: WriterSession,
  select: string,
  schema: Schema,
  spec: PartitionSpec,
  files: TableFiles,
): Promise<readonly NewDataFile[]> {
  await session.run(`CREATE OR REPLACE TABLE input AS ${select}`);
  await refuseNulls(session, schema);
  const partitions = await assignPartitions(session, schema, spec);
  const written: NewDataFile[] = [];
  try {
    for (const { number, tuple } of partitions) {
      const where =
        number === null ? '' : `WHERE rowid IN (SELECT row FROM parts WHERE part = ${number})`;
      const folder = partitionFolder(spec, tuple);
      written.push(await writeFile(session, schema, files, folder, tuple, where));
    }
    return written;
  } catch (error) {
    await removeFiles(written.map((f) => f.real));
    throw error;
  }
}

async function writeFile(
  session: WriterSession,
  schema: Schema,
  files: TableFiles,
  folder: string,
  partition: readonly Value[],
  where: string,
): Promise<NewDataFile> {
  const recorded = files.record(join('data', folder, `${randomUUID()}.parquet`));
  const real = files.resolve(recorded);
  await makeFolder(dirname(real));
  const columns = schema.fields.map((f) => quoteName(f.name)).join(', ');
  const options = [
    'FORMAT parquet',
    'COMPRESSION zstd',
    `ROW_GROUP_SIZE ${ROW_GROUP}`,
    `FIELD_IDS ${fieldIdsOption(schema)}`,
    ...variantsWhole(schema),
  ];
  const source = `SELECT ${columns} FROM input ${where} ORDER BY rowid`;
  await session.run(`COPY (${source}) TO ${quoteText(real)} (${options.join(', ')})`);
  const statistics = await fileStatistics(session, real, schema);
  const { size } = await stat(real);
  return { ...statistics, recorded, real, partition, fileSize: size };
}

/**
 * Variants as they are, texts beside them: left to itself DuckDB gives every path that rows agree on
 * columns of its own, which takes it for ever with deep values and makes schemas that nobody reads.
 */
function variantsWhole(schema: Schema): readonly string[] {
  const variants = schema.fields.filter((field) => field.type.kind === 'variant');
  const texts = variants.map((field) => `${quoteName(field.name)}: 'VARCHAR'`);
  return texts.length === 0 ? [] : [`SHREDDING {${texts.join(', ')}}`];
}

async function refuseNulls(session: WriterSession, schema: Schema): Promise<void> {
  const required = schema.fields.filter((f) => f.required);
  if (required.length === 0) return;
  const counts = required.map((f) => `count(*) - count(${quoteName(f.name)})`);
  const [row] = await session.rows(`SELECT ${counts.join(', ')} FROM input`);
  const bad = required.findIndex((_, i) => Number(row[i]) > 0);
  if (bad < 0) return;
  const { name, type } = required[bad];
  throw new LakeError(
    'invalid_argument',
    `required column "${name}" (${sqlType(type)}) is null in ${row[bad]} of the input's rows`,
  );
}

/** Removes files that no snapshot names; one that is gone already is no error. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
}
