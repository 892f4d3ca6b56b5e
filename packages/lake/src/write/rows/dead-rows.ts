import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { TableFiles } from '../../base/files/table-files.ts';
import type { FileScan } from '../../metadata/file-set.ts';
import { plainParquet } from '../../parquet/plain-file.ts';
import { positionSet } from '../../puffin/position-set.ts';
import { encodeVectorFile } from '../../puffin/puffin-file.ts';
import { quoteText } from '../../scan/duckdb/quoting.ts';
import type { Field } from '../../schema/type.ts';
import type { NewDeleteFile } from '../commit/manifest-writer.ts';
import { WriterSession, workFolderOf } from '../writer-session.ts';
import { PLAIN_ROWS } from './plain-rows.ts';

/** Rows of one data file that a commit deletes: `fresh` are new, `before` were dead already. */
export interface DeadInFile {
  readonly scan: FileScan;
  readonly before: Iterable<number>;
  readonly fresh: readonly number[];
}

/** v3: one Puffin file with a vector for each data file; a vector takes in what was dead before. */
export async function writeVectors(
  dead: readonly DeadInFile[],
  files: TableFiles,
): Promise<readonly NewDeleteFile[]> {
  if (dead.length === 0) return [];
  const vectors = dead.map((d) => ({
    dataFile: d.scan.data.path,
    positions: positionSet([...d.before, ...d.fresh]),
  }));
  const { bytes, entries } = encodeVectorFile(vectors, 'lhs');
  const recorded = files.record(`data/${randomUUID()}-deletes.puffin`);
  const real = files.resolve(recorded);
  await files.store.write(real, bytes);
  return entries.map((entry, i) => ({
    kind: 'vector' as const,
    recorded,
    real,
    specId: dead[i].scan.data.specId,
    partition: dead[i].scan.data.partition,
    recordCount: entry.cardinality,
    fileSize: bytes.length,
    referencedDataFile: entry.referencedDataFile,
    contentOffset: entry.contentOffset,
    contentSize: entry.contentSize,
  }));
}

const FILE_PATH_ID = 2_147_483_546;
const POSITION_ID = 2_147_483_545;
const DELETE_FIELDS: readonly Field[] = [
  { id: FILE_PATH_ID, name: 'file_path', required: true, type: { kind: 'string' } },
  { id: POSITION_ID, name: 'pos', required: true, type: { kind: 'long' } },
];

/** v2: a position delete file for each data file (format/spec.md, "Position Delete Files"). */
export async function writePositionDeletes(
  dead: readonly DeadInFile[],
  files: TableFiles,
): Promise<readonly NewDeleteFile[]> {
  if (dead.length === 0) return [];
  if (dead.every(({ fresh }) => fresh.length <= PLAIN_ROWS)) return writeFewDeletes(dead, files);
  const session = await WriterSession.open({ inputs: [], folder: await workFolderOf(files) });
  try {
    const written: { readonly file: NewDeleteFile; readonly from: string }[] = [];
    for (const entry of dead) written.push(await writeOne(session, entry, files));
    const moves = written.map(({ file, from }) => ({ from, to: file.real }));
    await session.publish(moves, files.store);
    return written.map(({ file }) => file);
  } finally {
    session.close();
  }
}

/** As `writePositionDeletes`, without DuckDB. */
async function writeFewDeletes(
  dead: readonly DeadInFile[],
  files: TableFiles,
): Promise<readonly NewDeleteFile[]> {
  const written: NewDeleteFile[] = [];
  for (const { scan, fresh } of dead) {
    const recorded = files.record(`data/${randomUUID()}-deletes.parquet`);
    const positions = [...fresh].sort((a, b) => a - b).map((at) => BigInt(at));
    const paths = positions.map(() => scan.data.path);
    const bytes = plainParquet(DELETE_FIELDS, [paths, positions], fresh.length);
    await files.store.write(files.resolve(recorded), bytes);
    written.push(deleteFile(scan, recorded, files.resolve(recorded), fresh.length, bytes.length));
  }
  return written;
}

async function writeOne(
  session: WriterSession,
  { scan, fresh }: DeadInFile,
  files: TableFiles,
): Promise<{ readonly file: NewDeleteFile; readonly from: string }> {
  const recorded = files.record(`data/${randomUUID()}-deletes.parquet`);
  const real = files.resolve(recorded);
  const positions = [...fresh].sort((a, b) => a - b);
  const rows =
    `SELECT ${quoteText(scan.data.path)} AS file_path, ` +
    `unnest([${positions.join(',')}])::BIGINT AS pos`;
  const ids = `{file_path: ${FILE_PATH_ID}, pos: ${POSITION_ID}}`;
  const from = session.newPath('.parquet');
  await session.run(
    `COPY (${rows}) TO ${quoteText(from)} (FORMAT parquet, COMPRESSION zstd, FIELD_IDS ${ids})`,
  );
  return { file: deleteFile(scan, recorded, real, fresh.length, (await stat(from)).size), from };
}

function deleteFile(
  { data }: FileScan,
  recorded: string,
  real: string,
  recordCount: number,
  fileSize: number,
): NewDeleteFile {
  const { specId, partition, path: referencedDataFile } = data;
  return {
    kind: 'position',
    recorded,
    real,
    specId,
    partition,
    recordCount,
    fileSize,
    referencedDataFile,
  };
}
