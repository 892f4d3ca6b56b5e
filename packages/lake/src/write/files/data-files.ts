import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LakeError } from '../../base/errors.ts';
import type { FileStore } from '../../base/files/file-store.ts';
import type { TableFiles } from '../../base/files/table-files.ts';
import { LIMITS } from '../../base/limits.ts';
import { joinRowGroups } from '../../parquet/join-row-groups.ts';
import { quoteName, quoteText } from '../../scan/duckdb/quoting.ts';
import { isUnpartitioned, type PartitionSpec } from '../../schema/partition-spec.ts';
import type { Schema, Value } from '../../schema/type.ts';
import { fieldIdsOption } from '../types/sql-type.ts';
import type { WriterSession } from '../writer-session.ts';
import { type FileStatistics, writtenStatistics } from './file-statistics.ts';
import { numberPartitions, partitionFolder } from './partitions.ts';

/** A data file that no snapshot names yet. `recorded` is its path as metadata will say it. */
export interface NewDataFile extends FileStatistics {
  readonly recorded: string;
  readonly real: string;
  /** Default parquet. */
  readonly format?: 'parquet' | 'avro';
  readonly partition: readonly Value[];
  readonly fileSize: number;
}

/** A data file in a session's work folder: `staged` is its path until it is published. */
export interface StagedDataFile extends NewDataFile {
  readonly staged: string;
}

/** A part of the rows to write, in their order. */
export interface RowSlice {
  /** A SELECT of the schema's columns, exactly typed. */
  readonly select: string;
  /** 0 if they are not counted. */
  readonly rows: number;
}

/** Rows of a page, the fewest that DuckDB writes: a row is looked up by reading its pages. */
const PAGE_ROWS = 2048;

/** The target of a write. */
export interface WriteTarget {
  readonly schema: Schema;
  readonly spec: PartitionSpec;
  readonly files: TableFiles;
}

/**
 * Writes rows as Parquet files with field ids into the session's work folder, in input order:
 * without partitions a file for each slice, else one or more for each partition. Rows stream
 * through: what is held is bounded by the session's memory, whatever the input.
 */
export async function writeDataFiles(
  session: WriterSession,
  slices: readonly RowSlice[],
  target: WriteTarget,
): Promise<readonly StagedDataFile[]> {
  return isUnpartitioned(target.spec)
    ? writeSlices(session, slices, target)
    : writePartitions(session, slices, target);
}

/** Moves staged files to the paths in their metadata. */
export async function publishFiles(
  session: WriterSession,
  files: readonly StagedDataFile[],
  store: FileStore,
): Promise<void> {
  const moves = files.map(({ staged, real }) => ({ from: staged, to: real }));
  await session.publish(moves, store);
}

async function writeSlices(
  session: WriterSession,
  slices: readonly RowSlice[],
  target: WriteTarget,
): Promise<readonly StagedDataFile[]> {
  const total = slices.reduce((n, slice) => n + slice.rows, 0);
  const tuple = target.spec.fields.map(() => null);
  const written: StagedDataFile[] = [];
  let done = 0;
  for (const { select, rows } of slices) {
    const [from, to] = total === 0 ? [0, 1] : [done / total, (done + rows) / total];
    session.enter({ phase: 'writing', rows: total, from, to });
    done += rows;
    const copies = await copy(session, select, session.newPath('.parquet'), target.schema, []);
    written.push(...copies.map((made) => staged(made, target, tuple)));
  }
  return written;
}

async function writePartitions(
  session: WriterSession,
  slices: readonly RowSlice[],
  target: WriteTarget,
): Promise<readonly StagedDataFile[]> {
  const rows = slices.reduce((n, slice) => n + slice.rows, 0);
  const select = slices.map((slice) => slice.select).join(' UNION ALL ');
  session.enter({ phase: 'writing', rows, from: 0, to: 0.25 });
  const { schema, spec } = target;
  const { tuples, rows: numbered } = await numberPartitions(session, select, schema, spec);
  if (numbered === 0) return [];
  session.enter({ phase: 'writing', rows, from: 0.25, to: 1 });
  const part = freeName(schema);
  const order = tuples.length > LIMITS.openPartitionFiles ? 'ORDER BY p.part, p.row' : '';
  const rowsOfParts = `SELECT s.*, p.part AS ${quoteName(part)}
    FROM (${select}) s POSITIONAL JOIN parts p ${order}`;
  const options = [`PARTITION_BY (${quoteName(part)})`];
  const made = await copy(session, rowsOfParts, session.newPath(), schema, options);
  if (made.reduce((n, file) => n + file.statistics.recordCount, 0) !== numbered) {
    throw new LakeError(
      'invalid_argument',
      'the input changed while it was read; nothing was kept',
    );
  }
  return made.map((file) => staged(file, target, tuples[Number(file.keys.get(part))]));
}

/** A name that no column has. */
function freeName({ fields }: Schema): string {
  const taken = new Set(fields.map(({ name }) => name.toLowerCase()));
  let name = 'part';
  while (taken.has(name)) name += '_';
  return name;
}

/** A file that COPY has made. */
export interface CopiedFile {
  readonly path: string;
  readonly bytes: number;
  readonly statistics: FileStatistics;
  /** Values of the PARTITION_BY columns, as text. */
  readonly keys: ReadonlyMap<string, string>;
}

/** Copies a SELECT to Parquet files under or at `to`, with options of DuckDB's COPY. */
export async function copyRows(
  session: WriterSession,
  select: string,
  to: string,
  schema: Pick<Schema, 'fields'>,
  options: readonly string[],
): Promise<readonly CopiedFile[]> {
  const all = ['FORMAT parquet', 'RETURN_STATS', ...options].join(', ');
  const rows = await session.rows(`COPY (${select}) TO ${quoteText(to)} (${all})`);
  return rows.map(([path, count, bytes, , columns, keys]): CopiedFile => {
    const stats = new Map(entries(columns).map(([name, map]) => [String(name), texts(map)]));
    const statistics = writtenStatistics(schema, Number(count), stats);
    return { path: String(path), bytes: Number(bytes), statistics, keys: texts(keys) };
  });
}

async function copy(
  session: WriterSession,
  select: string,
  to: string,
  schema: Schema,
  more: readonly string[],
): Promise<readonly CopiedFile[]> {
  const files = await copyRows(session, select, to, schema, [
    'COMPRESSION zstd',
    `ROW_GROUP_SIZE ${PAGE_ROWS}`,
    // DuckDB writes a page a row group. Without dictionaries pages can be joined.
    'DICTIONARY_SIZE_LIMIT 0',
    `FIELD_IDS ${fieldIdsOption(schema)}`,
    ...variantsWhole(schema),
    ...more,
  ]);
  const full = files.filter((file) => file.statistics.recordCount > 0);
  const joined: CopiedFile[] = [];
  for (const file of full) joined.push(await withPages(session, file));
  return joined;
}

/** The file with its row groups as pages of larger ones. */
async function withPages(session: WriterSession, file: CopiedFile): Promise<CopiedFile> {
  const path = session.newPath('.parquet');
  const bytes = await joinRowGroups(file.path, path);
  await rm(bytes === null ? path : file.path);
  return bytes === null ? file : { ...file, path, bytes };
}

/** The entries of a MAP as DuckDB's node API has it. */
function entries(map: unknown): readonly (readonly [unknown, unknown])[] {
  const items = (map as { entries?: readonly { key: unknown; value: unknown }[] } | null)?.entries;
  return (items ?? []).map(({ key, value }) => [key, value]);
}

const texts = (map: unknown): ReadonlyMap<string, string> =>
  new Map(entries(map).map(([key, value]) => [String(key), String(value)]));

function staged(
  { path, bytes, statistics }: CopiedFile,
  { spec, files }: WriteTarget,
  partition: readonly Value[],
): StagedDataFile {
  const folder = partitionFolder(spec, partition);
  const recorded = files.record(join('data', folder, `${randomUUID()}.parquet`));
  const real = files.resolve(recorded);
  return { ...statistics, recorded, real, staged: path, partition, fileSize: bytes };
}

/**
 * Shreds only the texts of variants. By default DuckDB shreds every path that rows agree on, which
 * takes very long for deep values and makes unreadable schemas.
 */
function variantsWhole(schema: Schema): readonly string[] {
  const variants = schema.fields.filter((field) => field.type.kind === 'variant');
  const texts = variants.map((field) => `${quoteName(field.name)}: 'VARCHAR'`);
  return texts.length === 0 ? [] : [`SHREDDING {${texts.join(', ')}}`];
}
