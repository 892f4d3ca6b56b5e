import type { Readable } from 'node:stream';
import { WorkFolder } from '../base/work-folder.ts';
import { quoteName, quoteText } from '../scan/duckdb/quoting.ts';
import { checkParquet } from './check-parquet.ts';
import { checkUtf8 } from './check-utf8.ts';
import { type CsvHeader, readCsvHeader } from './csv-header.ts';
import { countCsvRecords } from './csv-records.ts';
import { checkCompressed } from './input-bytes.ts';
import { type Compression, checkedFiles, type InputFile, type InputFormat } from './input-files.ts';
import { receiveRows, receiveStream } from './receive.ts';

/**
 * Rows to write: files, a stream of bytes (its format is seen in them unless it is given), or plain
 * JSON objects by column name.
 */
export type WriteInput =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'stream'; readonly stream: Readable; readonly format?: InputFormat }
  | { readonly kind: 'rows'; readonly rows: readonly Readonly<Record<string, unknown>>[] };

/** How an input was read: what its name or its bytes said. */
export interface InputReading {
  readonly format: InputFormat;
  readonly compression: Compression | null;
  /** Of the first CSV file; null for other formats. */
  readonly delimiter: string | null;
}

/** Input on disk, as DuckDB reads it. `dispose` removes what was staged. */
export interface StagedInput {
  readonly paths: readonly string[];
  readonly format: InputFormat;
  readonly reading: InputReading;
  /** A FROM clause that reads `paths` only; CSV as texts, JSON with types of its own. */
  readonly relation: string;
  /** The same for JSON that is never taken for one map of all its columns. */
  readonly relationWithoutMaps: string;
  /** A FROM clause that gives each JSON object as `json`. */
  readonly objects: string;
  /** The same for JSON with columns of given DuckDB types; what `types` leaves out is not read. */
  typedRelation(types: readonly (readonly [name: string, sqlType: string])[]): string;
  /**
   * The records of CSV files, counted without DuckDB; null for other formats. Throws
   * invalid_argument if compressed text is damaged.
   */
  countRecords(signal?: AbortSignal): Promise<number | null>;
  dispose(): void;
}

/**
 * Files as they are, or rows and streams copied into a work folder in `dataFolder`. Throws
 * input_not_found, invalid_argument, disk_full.
 */
export async function stageInput(
  input: WriteInput,
  dataFolder: string,
  formatVersion = 2,
  signal?: AbortSignal,
): Promise<StagedInput> {
  if (input.kind === 'files') {
    const { files, format } = await checkedFiles(input.paths);
    await checkContents(files, format, formatVersion, signal);
    return stagedFiles(files, format, () => {});
  }
  const folder = await WorkFolder.make(dataFolder);
  const dispose = () => folder.remove();
  try {
    const { files, format } =
      input.kind === 'rows'
        ? await receiveRows(input.rows, folder.path)
        : await receiveStream(input, folder.path, signal);
    await checkContents(files, format, formatVersion, signal);
    return await stagedFiles(files, format, dispose);
  } catch (error) {
    dispose();
    throw error;
  }
}

/** Throws invalid_argument, unsupported for contents that DuckDB would misread. */
async function checkContents(
  files: readonly InputFile[],
  format: InputFormat,
  formatVersion: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const file of files) {
    if (format === 'parquet') await checkParquet(file.path, formatVersion);
    else await checkUtf8(file, signal);
  }
}

/** Every value of every file counts for a type, and so does a name that comes late. */
const JSON_OPTIONS = "format='auto', union_by_name=true";
const WHOLE = 'sample_size=-1, maximum_sample_files=9223372036854775807';

async function stagedFiles(
  files: readonly InputFile[],
  format: InputFormat,
  dispose: () => void,
): Promise<StagedInput> {
  const paths = files.map(({ path }) => path);
  const headers = format === 'csv' ? await Promise.all(files.map(readCsvHeader)) : [];
  const list = `[${paths.map(quoteText).join(', ')}]`;
  const json = (more: string) => `read_json(${list}, ${JSON_OPTIONS}, ${WHOLE}${more})`;
  const relation = {
    parquet: () => `read_parquet(${list}, union_by_name=true)`,
    csv: () => csvRelation(files, headers),
    json: () => json(''),
  }[format]();
  const typedRelation: StagedInput['typedRelation'] = (types) => {
    if (format !== 'json') return relation;
    const columns = types.map(([name, type]) => `${quoteName(name)}: ${quoteText(type)}`);
    return `read_json(${list}, format='auto', columns={${columns.join(', ')}})`;
  };
  const countRecords = async (signal?: AbortSignal) => {
    if (format === 'json') await checkCompressed(files, signal);
    if (format !== 'csv') return null;
    let records = 0;
    for (const [i, file] of files.entries()) {
      records += await countCsvRecords(file, headers[i], signal);
    }
    return records;
  };
  const { compression } = files[0];
  const reading = { format, compression, delimiter: headers[0]?.delimiter ?? null };
  const relationWithoutMaps = json(', map_inference_threshold=-1');
  const objects = `read_json_objects(${list}, format='auto')`;
  const relations = { relation, relationWithoutMaps, objects, typedRelation };
  return { paths, format, reading, ...relations, countRecords, dispose };
}

/** Strict, so that a line that does not fit its header is refused and never skipped. */
const CSV_OPTIONS =
  `auto_detect=false, header=true, skip=0, quote='"', escape='"', comment='', ` +
  'strict_mode=true, null_padding=false, ignore_errors=false';

function csvRelation(files: readonly InputFile[], headers: readonly CsvHeader[]): string {
  const parts = files.map(({ path, compression }, i) => {
    const { delimiter, names } = headers[i];
    const columns = names.map((name) => `${quoteName(name)}: 'VARCHAR'`).join(', ');
    const packed = `compression=${quoteText(compression ?? 'none')}`;
    const options = `${CSV_OPTIONS}, ${packed}, delim=${quoteText(delimiter)}`;
    return `read_csv(${quoteText(path)}, ${options}, columns={${columns}})`;
  });
  if (parts.length === 1) return parts[0];
  return `(${parts.map((part) => `SELECT * FROM ${part}`).join(' UNION ALL BY NAME ')})`;
}
