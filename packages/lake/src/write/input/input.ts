import type { Readable } from 'node:stream';
import { LakeError } from '../../base/errors.ts';
import { WorkFolder } from '../../base/files/work-folder.ts';
import { quoteName, quoteText } from '../../scan/duckdb/quoting.ts';
import type { Type } from '../../schema/type.ts';
import {
  type Conversion,
  type ConvertedInput,
  type ConvertedReading,
  pathsIn,
} from '../convert/conversion.ts';
import { convertInput } from '../convert/convert-input.ts';
import type { WriteWatch } from '../write-progress.ts';
import { writerMemory } from '../writer-session.ts';
import { type CsvHeader, readCsvHeader } from './csv-header.ts';
import { countCsvRecords, lineOfRecord } from './csv-records.ts';
import { FILENAME, withFileName, withFileNames } from './file-names.ts';
import { checkCompressed } from './input-bytes.ts';
import { type Compression, checkedFiles, type InputFile, type InputFormat } from './input-files.ts';
import { columnTypes, hasFilename, kindFor, type ReadingOptions } from './reading-options.ts';
import { receiveRows, receiveStream } from './receive.ts';
import { refuseMissing } from './refuse-names.ts';

/**
 * Rows to write: files, a stream of bytes (its kind is seen in them unless it is given), or plain
 * JSON objects by column name.
 */
export type WriteInput =
  | {
      readonly kind: 'files';
      readonly paths: readonly string[];
      readonly options?: ReadingOptions;
    }
  | {
      readonly kind: 'stream';
      readonly stream: Readable;
      /** Its name in messages. Default: standard input. */
      readonly name?: string;
      readonly options?: ReadingOptions;
    }
  | { readonly kind: 'rows'; readonly rows: readonly Readonly<Record<string, unknown>>[] };

/** How an input was read: what its name or its bytes said. */
export interface InputReading extends ConvertedReading {
  readonly format: InputFormat;
  readonly compression: Compression | null;
  /** Of the first CSV file; null for other formats. */
  readonly delimiter: string | null;
  /** Whether the first line of CSV names the columns. */
  readonly hasHeader: boolean;
  /** The line or row of the names, and whether it may be a title: most of its cells are empty. */
  readonly header: { readonly line: number; readonly isTitle: boolean };
  /** Whether this line looks like a row. */
  readonly isHeaderLikeRow: boolean;
  /** Whether blanks around values of CSV are left out. */
  readonly trim: boolean;
}

/** Input on disk, as DuckDB reads it. `dispose` removes what was staged. */
export interface StagedInput {
  readonly files: readonly InputFile[];
  readonly format: InputFormat;
  readonly options: ReadingOptions;
  readonly reading: InputReading;
  /** The types that the caller or the files name, by column of the table. */
  readonly types: ReadonlyMap<string, Type>;
  /** Columns of JSON whose values are JSON texts. */
  readonly jsonTexts: ReadonlySet<string>;
  /** Whether rows of JSON are members of an object, with the column `key`. */
  readonly isKeyed: boolean;
  /** A FROM clause that reads `files` only; CSV as texts, JSON with types of its own. */
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
  /** The line of the n-th row, counted from 1, of a single CSV file; null for other input. */
  lineOf(row: number): Promise<number | null>;
  dispose(): void;
}

/**
 * Files as they are, or what had to be received or converted in a work folder in `parent`.
 * Throws input_not_found, invalid_argument, disk_full.
 */
export async function stageInput(
  input: WriteInput,
  parent: string,
  formatVersion = 2,
  watch: WriteWatch = {},
): Promise<StagedInput> {
  const { signal } = watch;
  const memoryBytes = writerMemory(watch);
  const options = (input.kind === 'rows' ? undefined : input.options) ?? {};
  refuseVariants(options, formatVersion);
  const name: [string, Type][] = hasFilename(options) ? [[FILENAME, { kind: 'string' }]] : [];
  const types = new Map([...name, ...columnTypes(options)]);
  const kind = kindFor(options);
  const found = input.kind === 'files' ? await checkedFiles(input.paths, kind) : null;
  const folder = await WorkFolder.make(parent);
  const dispose = () => folder.remove();
  const phase = input.kind === 'stream' ? 'receiving' : 'reading';
  watch.onProgress?.({ phase, rows: 0, share: 0 });
  const newPath = pathsIn(folder.path);
  const conversion: Conversion = { options, formatVersion, memoryBytes, signal, newPath };
  try {
    const received =
      input.kind === 'rows'
        ? await receiveRows(input.rows, folder.path)
        : input.kind === 'stream'
          ? await receiveStream(input, kind, folder.path, signal)
          : found;
    const converted = await convertInput(received ?? { files: [], kind: 'json' }, conversion);
    const own = converted.options ?? {};
    const all = new Map([...ownTypes(converted, options), ...types]);
    for (const path of converted.changedKeys?.inner ?? []) all.delete(path);
    const named = withoutUsed(withoutUnset(options), converted);
    const merged = { ...own, ...named, ...(converted.options && WRITTEN_CSV) };
    return await stagedFiles(converted, merged, folder.path, { types: all, dispose });
  } catch (error) {
    dispose();
    throw error;
  }
}

/** How CSV is read that a conversion has written. */
const WRITTEN_CSV: ReadingOptions = { delimiter: ',', hasHeader: true, skipBadLines: false };

/** The types that the files name, by column of the table. */
const ownTypes = (
  { options = {}, types = new Map() }: ConvertedInput,
  { rename = {} }: ReadingOptions,
): readonly (readonly [string, Type])[] =>
  [...columnTypes(options), ...types].map(([key, type]) => [
    Object.hasOwn(rename, key) ? rename[key] : key,
    type,
  ]);

const withoutUnset = (options: ReadingOptions): ReadingOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** The options without names of keys that a conversion has changed. */
function withoutUsed(options: ReadingOptions, { changedKeys }: ConvertedInput): ReadingOptions {
  if (changedKeys === undefined) return options;
  const { used, inner } = changedKeys;
  const without = (names: Readonly<Record<string, string>> = {}, done: Iterable<string>) => {
    const isDone = new Set(done);
    return Object.fromEntries(Object.entries(names).filter(([name]) => !isDone.has(name)));
  };
  const { rename, types } = options;
  return { ...options, rename: without(rename, used), types: without(types, inner) };
}

function refuseVariants(options: ReadingOptions, formatVersion: number): void {
  const variant = [...columnTypes(options)].find(([, { kind }]) => kind === 'variant');
  if (variant === undefined || formatVersion >= 3) return;
  const message = `column "${variant[0]}" cannot be a variant in a table of format version 2`;
  throw new LakeError('invalid_argument', message, { details: { option: 'variant' } });
}

/** Every value of every file counts for a type, and so does a name that comes late. */
const JSON_OPTIONS = "format='auto', union_by_name=true";
const WHOLE = 'sample_size=-1, maximum_sample_files=9223372036854775807';

async function stagedFiles(
  { files, format, reading: converted, changedKeys, isKeyed = false }: ConvertedInput,
  options: ReadingOptions,
  folder: string,
  own: Pick<StagedInput, 'types' | 'dispose'>,
): Promise<StagedInput> {
  const paths = files.map(({ path }) => path);
  const readHeader = (file: InputFile) => readCsvHeader(file, options);
  const headers = format === 'csv' ? await Promise.all(files.map(readHeader)) : [];
  refuseMissingNames(options, headers);
  const list = `[${paths.map(quoteText).join(', ')}]`;
  // DuckDB makes columns of folders named KEY=VALUE: those above the work folder are not meant
  const partitions = paths.some((path) => path.startsWith(folder))
    ? ', hive_partitioning=false'
    : '';
  const isNamed = hasFilename(options);
  const more = `${partitions}${isNamed ? `, ${FILENAME}=true` : ''}`;
  const named = (read: string) => (isNamed ? withFileNames(read, files) : read);
  const json = (options: string) => named(`read_json(${list}, ${JSON_OPTIONS}${more}, ${options})`);
  const relation = {
    parquet: () => named(`read_parquet(${list}, union_by_name=true${more})`),
    csv: () => csvRelation(files, headers, `${csvOptions(options)}${partitions}`, options),
    json: () => json(WHOLE),
  }[format]();
  const typedRelation: StagedInput['typedRelation'] = (types) => {
    if (format !== 'json') return relation;
    const read = (columns: readonly (readonly [name: string, sqlType: string])[]) => {
      const stored = columns.filter(([name]) => !isNamed || name !== FILENAME);
      if (stored.length === 0) return relation;
      const typed = stored.map(([name, type]) => `${quoteName(name)}: ${quoteText(type)}`);
      return named(`read_json(${list}, format='auto'${more}, columns={${typed.join(', ')}})`);
    };
    const { nulls = [] } = options;
    return nulls.length === 0 ? read(types) : withoutNullTexts(read, types, nulls);
  };
  const hasHeader = options.hasHeader !== false;
  const delimiter = headers[0]?.delimiter ?? null;
  const trim = headers[0]?.trim ?? false;
  const { compression } = files[0];
  const isHeaderLikeRow = headers[0]?.isLikeRow ?? false;
  const line = converted.sheet?.header ?? (files[0].linesBefore ?? 0) + 1;
  const header = { line, isTitle: headers[0]?.isTitle ?? false };
  const found = { format, compression, delimiter, hasHeader, header, isHeaderLikeRow, trim };
  const reading = { ...converted, ...found };
  const relationWithoutMaps = json(`${WHOLE}, map_inference_threshold=-1`);
  const objects = `read_json_objects(${list}, format='auto')`;
  const relations = { relation, relationWithoutMaps, objects, typedRelation };
  // the header has the names of the table already
  const counts = recordCounts(files, headers, format, hasHeader);
  const rest = format === 'csv' ? { ...options, rename: {} } : options;
  const jsonTexts = changedKeys?.jsonTexts ?? new Set<string>();
  return {
    files,
    jsonTexts,
    isKeyed,
    format,
    options: rest,
    reading,
    ...relations,
    ...counts,
    ...own,
  };
}

/** `countRecords` and `lineOf` of files. */
function recordCounts(
  files: readonly InputFile[],
  headers: readonly CsvHeader[],
  format: InputFormat,
  hasHeader: boolean,
): Pick<StagedInput, 'countRecords' | 'lineOf'> {
  const headerRecords = hasHeader ? 1 : 0;
  return {
    countRecords: async (signal) => {
      if (format === 'json') await checkCompressed(files, signal);
      if (format !== 'csv') return null;
      let records = 0;
      for (const [i, file] of files.entries()) {
        records += (await countCsvRecords(file, headers[i], signal)) - headerRecords;
      }
      return records;
    },
    lineOf: async (row) => {
      if (format !== 'csv' || files.length > 1) return null;
      return lineOfRecord(files[0], headers[0], row + headerRecords);
    },
  };
}

function refuseMissingNames({ rename = {} }: ReadingOptions, headers: readonly CsvHeader[]): void {
  if (headers.length > 0)
    refuseMissing(
      Object.keys(rename),
      headers.flatMap(({ keys }) => keys),
    );
}

/** Strict, so that a line that does not fit its header is refused and never skipped. */
const STRICT = `strict_mode=true, auto_detect=false, quote='"', escape='"', comment=''`;

function csvOptions({ hasHeader = true, nulls = [], skipBadLines, pad }: ReadingOptions): string {
  // threads cannot pad a line that a line end inside of quotes may continue
  const short = pad === true ? 'null_padding=true, parallel=false' : 'null_padding=false';
  const bad = skipBadLines === true ? 'store_rejects=true' : 'ignore_errors=false';
  const empty = nulls.length === 0 ? '' : `, nullstr=[${['', ...nulls].map(quoteText).join(', ')}]`;
  return `${STRICT}, ${short}, header=${hasHeader}, ${bad}${empty}`;
}

function csvRelation(
  files: readonly InputFile[],
  headers: readonly CsvHeader[],
  how: string,
  options: ReadingOptions,
): string {
  const { nulls = [] } = options;
  const parts = files.map(({ path, compression, linesBefore = 0 }, i) => {
    const { delimiter, names, trim } = headers[i];
    const columns = names.map((name) => `${quoteName(name)}: 'VARCHAR'`).join(', ');
    const packed = `skip=${linesBefore}, compression=${quoteText(compression ?? 'none')}`;
    const all = `${how}, ${packed}, delim=${quoteText(delimiter)}, columns={${columns}}`;
    const read = `read_csv(${quoteText(path)}, ${all})`;
    const part = trim ? `(SELECT ${trimmed(names, nulls)} FROM ${read})` : read;
    return hasFilename(options) ? withFileName(part, files[i]) : part;
  });
  if (parts.length === 1) return parts[0];
  return `(${parts.map((part) => `SELECT * FROM ${part}`).join(' UNION ALL BY NAME ')})`;
}

/** JSON without the texts that stand for NULL, in columns that are neither nested nor JSON. */
function withoutNullTexts(
  read: (types: readonly (readonly [name: string, sqlType: string])[]) => string,
  types: readonly (readonly [name: string, sqlType: string])[],
  nulls: readonly string[],
): string {
  const isPlain = (type: string) => type !== 'JSON' && !/[[(]/.test(type.replace('DECIMAL(', ''));
  const columns = types.map(([name, type]) => {
    const column = quoteName(name);
    if (!isPlain(type)) return column;
    return `CAST(${unlessOneOf(column, nulls)} AS ${type}) AS ${column}`;
  });
  const texts = types.map(([name, type]) => [name, isPlain(type) ? 'VARCHAR' : type] as const);
  return `(SELECT ${columns.join(', ')} FROM ${read(texts)})`;
}

/** The columns without blanks around their values, and NULL for texts that stand for it. */
function trimmed(names: readonly string[], nulls: readonly string[]): string {
  const texts = ['', ...nulls];
  return names
    .map(quoteName)
    .map((name) => `${unlessOneOf(`trim(${name})`, texts)} AS ${name}`)
    .join(', ');
}

/** SQL for a text; NULL if it is one of `texts`. */
const unlessOneOf = (value: string, texts: readonly string[]): string =>
  `CASE WHEN ${value} NOT IN (${texts.map(quoteText).join(', ')}) THEN ${value} END`;
