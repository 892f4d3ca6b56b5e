import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { EXPORT, tableAround } from '../base/foreign-table.ts';

/** How an input is read. */
export type InputFormat = 'parquet' | 'csv' | 'json';

const FORMATS: Readonly<Record<string, InputFormat>> = Object.freeze({
  '.parquet': 'parquet',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'json',
  '.jsonl': 'json',
  '.json': 'json',
});
const ENDINGS =
  'files end in .parquet, .csv, .tsv, .ndjson, .jsonl or .json; text may be compressed (.gz, .zst)';

/** How a text file is compressed. */
export type Compression = 'gzip' | 'zstd';
const COMPRESSIONS: Readonly<Record<string, Compression>> = Object.freeze({
  '.gz': 'gzip',
  '.zst': 'zstd',
});

/** An input file: its absolute path, and how it is compressed. */
export interface InputFile {
  readonly path: string;
  readonly compression: Compression | null;
}

/**
 * Input files and their common format. Throws input_not_found if a file is missing,
 * invalid_argument if it is not a file, has an unknown ending, or formats differ.
 */
export async function checkedFiles(
  names: readonly string[],
): Promise<{ readonly files: readonly InputFile[]; readonly format: InputFormat }> {
  for (const name of names) await checkFile(name);
  const formats = names.map(formatOf);
  const other = formats.findIndex((format) => format !== formats[0]);
  if (other > 0) {
    throw refuse(
      names[other],
      `"${names[0]}" and "${names[other]}" are of different kinds (${formats[0]}, ` +
        `${formats[other]}); import each kind by itself`,
    );
  }
  if (formats[0] === 'parquet') for (const name of names) await refuseTableFile(name);
  const files = names.map((name) => ({ path: resolve(name), compression: compressionOf(name) }));
  return { files, format: formats[0] };
}

/**
 * A file of a table may have rows that the table has deleted or replaced: only the table's own log
 * knows. Throws `unsupported`.
 */
async function refuseTableFile(name: string): Promise<void> {
  const table = await tableAround(name);
  if (table === null) return;
  const { format, folder } = table;
  const way = format === 'Iceberg' ? 'read the table itself instead' : EXPORT;
  throw new LakeError(
    'unsupported',
    `"${name}" belongs to the ${format} table "${folder}", whose deleted rows it may still have; ` +
      way,
    { file: name, details: { table: folder, format } },
  );
}

async function checkFile(name: string): Promise<void> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(name)) {
    const message = `"${name}" is an address: files to import lie on local folders`;
    throw new LakeError('unsupported', `${message}, or come from standard input`, { file: name });
  }
  const found = await stat(name).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    if (found.code === 'ENOENT' || found.code === 'ENOTDIR') {
      throw new LakeError('input_not_found', `no file "${name}"`, { file: name });
    }
    throw refuse(name, `cannot read "${name}" (${found.code ?? found.message})`);
  }
  if (found.isDirectory()) throw refuse(name, `"${name}" is a folder; name the files in it`);
  if (!found.isFile()) throw refuse(name, `"${name}" is not a regular file; save it as one first`);
  if (/[*?[\]]/.test(name)) {
    throw refuse(
      name,
      `"${name}" has *, ?, [ or ] in its name, which stand for patterns; rename it`,
    );
  }
}

const compressionOf = (name: string): Compression | null =>
  COMPRESSIONS[extname(name).toLowerCase()] ?? null;

function formatOf(name: string): InputFormat {
  const isCompressed = compressionOf(name) !== null;
  const inner = isCompressed ? name.slice(0, -extname(name).length) : name;
  const ending = extname(inner).toLowerCase();
  const format = FORMATS[ending];
  if (format === 'parquet' && isCompressed) {
    throw refuse(name, `"${name}" is a compressed Parquet file; decompress it first`);
  }
  if (format !== undefined) return format;
  const what = ending === '' ? 'its name has no ending' : `"${ending}" is not a known ending`;
  throw refuse(name, `cannot read "${name}": ${what}; ${ENDINGS}`);
}

function refuse(file: string, message: string): LakeError {
  return new LakeError('invalid_argument', message, { file, details: { expected: ENDINGS } });
}
