/**
 * Keys of an input that is too large for this process: DuckDB compares them, in bounded memory and
 * beside the data files on disk. The table's keys are copied into the session's DuckDB, batch by
 * batch, and joined with those of the written files.
 */
import type { Batch, ColumnVector } from '../../scan/batch.ts';
import { quoteName, quoteText } from '../../scan/duckdb/quoting.ts';
import { CHUNK_ROWS, stagedExpression, stageRows, stagingType } from '../../scan/duckdb/staging.ts';
import type { Field, Type } from '../../schema/type.ts';
import type { StagedDataFile } from '../files/data-files.ts';
import type { WriterSession } from '../writer-session.ts';
import type { RowsByFile } from './delete-rows.ts';

/** A relation over the written files. */
function writtenRows(files: readonly StagedDataFile[]): string {
  const paths = files.map(({ staged }) => quoteText(staged)).join(', ');
  return `read_parquet([${paths}], hive_partitioning=false)`;
}

/** A key that written files hold more than once, as texts; null if there is none. */
export async function repeatedKey(
  session: WriterSession,
  files: readonly StagedDataFile[],
  names: readonly string[],
): Promise<{ readonly cells: readonly unknown[]; readonly times: number } | null> {
  if (files.length === 0) return null;
  const columns = names.map(quoteName);
  const texts = columns.map((name) => `CAST(${name} AS VARCHAR)`);
  const [found] = await session.rows(
    `SELECT count(*), ${texts.join(', ')} FROM ${writtenRows(files)}
     GROUP BY ${columns.join(', ')} HAVING count(*) > 1 LIMIT 1`,
  );
  return found === undefined ? null : { cells: found.slice(1), times: Number(found[0]) };
}

const FILE: Type = { kind: 'int' };

/**
 * Copies the keys of written files to a file that stays in the session's work folder when those are
 * moved to their places. Returns its path.
 */
export async function copyWrittenKeys(
  session: WriterSession,
  files: readonly StagedDataFile[],
  names: readonly string[],
): Promise<string> {
  const path = session.newPath('.parquet');
  const select = `SELECT ${names.map(quoteName).join(', ')} FROM ${writtenRows(files)}`;
  await session.run(`COPY (${select}) TO ${quoteText(path)} (FORMAT parquet)`);
  return path;
}

/** The rows of a table's batches whose key is in a file of `copyWrittenKeys`. */
export async function rowsWithKeys(
  session: WriterSession,
  written: string,
  fields: readonly Field[],
  batches: AsyncIterable<Batch>,
): Promise<RowsByFile> {
  const keys = fields.map(({ type }, i) => `k${i} ${stagingType(type)}`);
  const columns = ['n INTEGER', 'file INTEGER', 'place INTEGER', ...keys].join(', ');
  await session.run(`CREATE OR REPLACE TABLE present(${columns})`);
  const paths = await copyKeys(session, fields, batches);
  const same = fields.map(
    ({ name, type }, i) => `${stagedExpression(type, `p.k${i}`)} = w.${quoteName(name)}`,
  );
  const rows: RowsByFile = new Map();
  const found = session.chunks(
    `SELECT p.file, p.place FROM present p SEMI JOIN read_parquet(${quoteText(written)}) w
     ON ${same.join(' AND ')}`,
  );
  for await (const chunk of found) {
    for (const [file, place] of chunk) {
      const path = paths[Number(file)];
      const places = rows.get(path) ?? [];
      if (places.length === 0) rows.set(path, places);
      places.push(Number(place));
    }
  }
  await session.run('DROP TABLE present');
  return rows;
}

/** Copies keys and places of the batches to table `present`; returns the files by their number. */
async function copyKeys(
  session: WriterSession,
  fields: readonly Field[],
  batches: AsyncIterable<Batch>,
): Promise<readonly string[]> {
  const types = [FILE, FILE, ...fields.map(({ type }) => type)];
  const paths: string[] = [];
  await session.append('present', async (present) => {
    for await (const batch of batches) {
      if (paths.at(-1) !== batch.file) paths.push(batch.file);
      const columns = [
        numbers(new Int32Array(batch.rows).fill(paths.length - 1)),
        numbers(batch.positions),
        ...batch.columns,
      ];
      for (let from = 0; from < batch.rows; from += CHUNK_ROWS) {
        const to = Math.min(batch.rows, from + CHUNK_ROWS);
        present.appendDataChunk(stageRows(columns, types, from, to));
      }
    }
  });
  return paths;
}

const numbers = (values: Int32Array): ColumnVector => ({ kind: 'int32', nulls: null, values });
