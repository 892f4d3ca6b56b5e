import { basename, join } from 'node:path';
import { LakeError } from '../../base/errors.ts';
import type { Type } from '../../schema/type.ts';
import { checkParquet } from '../check-parquet.ts';
import {
  commonKind,
  compressionOf,
  hasKnownEnding,
  type InputFile,
  type InputFiles,
  type InputFormat,
  type InputKind,
} from '../input-files.ts';
import { hasFilename, kindFor, type ReadingOptions } from '../reading-options.ts';
import { arrowLines } from './arrow-rows.ts';
import { avroLines } from './avro-rows.ts';
import { findJsonRows, writeJsonRows, writeLargeArray } from './json-rows.ts';
import { type LogRows, logKind, logName, looksLikeCsv, writeLogRows } from './log-rows.ts';
import { hasMark, textEncoding, UTF8, writeUtf8 } from './text-encoding.ts';
import type { TypedLines } from './typed-rows.ts';
import { writeLines } from './write-lines.ts';
import { sheetRows } from './xlsx-rows.ts';
import { extractMember, zipMembers } from './zip.ts';

/** Files that DuckDB reads, and what was found out about them. */
export interface ConvertedInput {
  readonly files: readonly InputFile[];
  readonly format: InputFormat;
  /** The types of columns that the files name. */
  readonly types?: ReadonlyMap<string, Type>;
  /** How they are read, unless the caller says otherwise. */
  readonly options?: ReadingOptions;
  readonly reading: ConvertedReading;
}

/** What conversion says about an input. */
export interface ConvertedReading {
  readonly kind: InputKind;
  /** Absent: UTF-8, or not a text. */
  readonly encoding?: { readonly label: string; readonly isGuess: boolean };
  /** Where the rows of a JSON text are, if they are not its values. */
  readonly rows?: { readonly path: readonly string[]; readonly isGuess: boolean };
  /** What lines are, and how many do not fit. */
  readonly lines?: {
    readonly as: string;
    readonly unmatched: number;
    /** Whether plain lines look like CSV. */
    readonly isLikeCsv?: true;
    /** Whether nothing in the rows says which of several files they are from. */
    readonly isMixed?: true;
  };
  /** Files of an archive that are no data. */
  readonly leftOut?: readonly string[];
  /** The worksheet that is read, and the others. */
  readonly sheet?: { readonly name: string; readonly others: readonly string[] };
}

/** What a conversion needs besides its files. */
export interface Conversion {
  readonly options: ReadingOptions;
  readonly formatVersion: number;
  /** The memory of the writer. */
  readonly memoryBytes: number;
  readonly signal?: AbortSignal;
  /** A new path in the work folder, with this ending. */
  readonly newPath: (ending: string) => string;
}

/** `newPath` of a folder. */
export function pathsIn(folder: string): Conversion['newPath'] {
  let count = 0;
  return (ending) => join(folder, `converted-${count++}${ending}`);
}

/**
 * Converts files of a kind to a format that DuckDB reads. Files of such a format are returned as
 * they are. Throws invalid_argument, unsupported for contents that cannot be read exactly.
 */
export async function convertInput(
  { files, kind }: InputFiles,
  conversion: Conversion,
): Promise<ConvertedInput> {
  switch (kind) {
    case 'parquet':
      for (const file of files) await checkParquet(file.path, conversion.formatVersion);
      return { files, format: kind, reading: { kind } };
    case 'csv': {
      const { files: texts, encoding } = await asUtf8(files, conversion);
      return { files: texts, format: 'csv', reading: { kind, encoding } };
    }
    case 'zip': {
      const { leftOut, ...members } = await unpacked(files, conversion);
      const converted = await convertInput(members, conversion);
      if (leftOut.length === 0) return converted;
      return { ...converted, reading: { ...converted.reading, leftOut } };
    }
    case 'arrow':
      return convertTyped(files, kind, arrowLines, conversion);
    case 'avro':
      return convertTyped(files, kind, avroLines, conversion);
    case 'xlsx':
      return convertSheets(files, conversion);
    case 'lines':
      return convertLines(files, conversion);
    case 'json':
      return convertJson(files, conversion);
  }
}

/** The files in archives, without those that systems add. */
async function unpacked(
  archives: readonly InputFile[],
  { options, signal, newPath }: Conversion,
): Promise<InputFiles & { readonly leftOut: readonly string[] }> {
  const files: InputFile[] = [];
  const names: string[] = [];
  const leftOut: string[] = [];
  for (const archive of archives) {
    const all = await zipMembers(archive);
    const members = all.filter(({ name }) => !/(^|\/)(__MACOSX\/|\.|_)/.test(name));
    const data = members.filter(({ name }) => isData(name));
    // what is no data by its name is left out beside data only
    const taken = data.length === 0 ? members : data;
    leftOut.push(...members.filter((one) => !taken.includes(one)).map(({ name }) => name));
    for (const member of taken) {
      const path = newPath(`-${basename(member.name)}`);
      await extractMember(archive, member, path, signal);
      const shown = `${archive.shown} (${member.name})`;
      files.push({ path, compression: compressionOf(path), shown });
      names.push(member.name);
    }
  }
  if (files.length > 0) return { files, kind: kindFor(options) ?? commonKind(names), leftOut };
  const message = `cannot read ${archives[0].shown}: it has no files`;
  throw new LakeError('invalid_argument', message, { file: archives[0].path });
}

const isData = (name: string): boolean =>
  hasKnownEnding(name) && !/(^|\/)(readme|licen[cs]e|copying|notice|changelog)\b/i.test(name);

async function asUtf8(files: readonly InputFile[], { options, signal, newPath }: Conversion) {
  const texts: InputFile[] = [];
  let encoding: ConvertedReading['encoding'];
  for (const file of files) {
    const found = await textEncoding(file, options.encoding, signal);
    if (found.label === 'utf-8') texts.push(file);
    else texts.push(await writeUtf8(file, found, newPath('.txt'), signal));
    if (found.label !== 'utf-8') encoding ??= found;
  }
  return { files: texts, encoding };
}

/** Files whose columns have types, which are those of the first file. */
async function convertTyped(
  files: readonly InputFile[],
  kind: InputKind,
  open: (file: InputFile) => Promise<TypedLines>,
  { newPath, signal }: Conversion,
): Promise<ConvertedInput> {
  const types = new Map<string, Type>();
  const converted: InputFile[] = [];
  for (const file of files) {
    const { type, lines } = await open(file);
    for (const field of type.fields) {
      if (!types.has(field.name)) types.set(field.name, field.type);
    }
    const path = newPath('.ndjson');
    await writeLines(lines, path, signal);
    converted.push({ path, compression: null, shown: file.shown });
  }
  return { files: converted, format: 'json', types, reading: { kind } };
}

async function convertSheets(
  files: readonly InputFile[],
  { options, newPath, signal }: Conversion,
): Promise<ConvertedInput> {
  const converted: InputFile[] = [];
  let read: ConvertedReading['sheet'];
  let texts: readonly string[] | undefined;
  for (const file of files) {
    const sheet = await sheetRows(file, options.sheet, newPath, signal);
    read ??= { name: sheet.name, others: sheet.others };
    texts = texts?.filter((name) => sheet.texts.includes(name)) ?? sheet.texts;
    const path = newPath('.csv');
    await writeLines(sheet.lines, path, signal);
    converted.push({ path, compression: null, shown: file.shown });
  }
  const types = Object.fromEntries((texts ?? []).map((name) => [name, 'string']));
  const reading = { kind: 'xlsx' as const, sheet: read };
  return { files: converted, format: 'csv', options: { types }, reading };
}

async function convertLines(
  files: readonly InputFile[],
  conversion: Conversion,
): Promise<ConvertedInput> {
  const { files: texts, encoding } = await asUtf8(files, conversion);
  const { options } = conversion;
  const kind = await logKind(texts, options);
  const parts = hasFilename(options) ? texts.map((text) => [text]) : [texts];
  const written: LogRows[] = [];
  for (const part of parts) written.push(await writeLogRows(part, kind, conversion));
  const isPlain = kind.log === 'lines' && options.lines !== true;
  const hint = isPlain && (await looksLikeCsv(texts)) ? { isLikeCsv: true as const } : {};
  const unmatched = written.reduce((sum, rows) => sum + rows.unmatched, 0);
  const mixed = texts.length > parts.length ? { isMixed: true as const } : {};
  const lines = { as: logName(kind), unmatched, ...hint, ...mixed };
  const types = Object.assign({}, ...written.map((rows) => rows.options.types ?? {}));
  return {
    files: written.map(({ file }) => file),
    format: written[0].format,
    options: { ...written[0].options, types },
    reading: { kind: 'lines', encoding, lines },
  };
}

async function convertJson(
  files: readonly InputFile[],
  conversion: Conversion,
): Promise<ConvertedInput> {
  const { files: texts, encoding } = await asUtf8(files, conversion);
  const { options, memoryBytes, signal, newPath } = conversion;
  const converted: InputFile[] = [];
  let rows: ConvertedReading['rows'];
  for (const [i, text] of texts.entries()) {
    // DuckDB reads an array behind a mark as one value
    const isMarked = await hasMark(text);
    const file = isMarked ? await writeUtf8(text, UTF8, newPath('.txt'), signal) : text;
    const isOpen = options.kind === undefined && !/\.(ndjson|jsonl)(\.\w+)?$/i.test(files[i].path);
    const found = options.rowsAt ?? (isOpen ? await findJsonRows(file, signal) : null);
    rows ??= found ?? undefined;
    const to = newPath('.ndjson');
    if (found !== null) converted.push(await writeJsonRows(file, found, to, signal));
    else converted.push((await writeLargeArray(file, memoryBytes, to, signal)) ?? file);
  }
  return { files: converted, format: 'json', reading: { kind: 'json', encoding, rows } };
}
