/**
 * How a CSV file is written (RFC 4180), read from its first line alone:
 *
 * - the first line holds the names of the columns, unless the caller says that there are none;
 * - the delimiter, unless it is named, is the one of `,` `;` tab and `|` that occurs most often in
 *   the line outside quotes (a tab in .tsv files, `|` in .psv files);
 * - an option renames columns by their names, or by their positions if names repeat;
 * - values may be quoted with `"`, which is doubled inside;
 * - if most names have blanks around them, so have the values, and both are read without them.
 *
 * DuckDB's sniffer is not used: it skips lines that do not fit its guess.
 */
import { LakeError } from '../../base/errors.ts';
import { inputBytes } from './input-bytes.ts';
import type { InputFile } from './input-files.ts';
import type { ReadingOptions } from './reading-options.ts';
import { refuseTwins } from './refuse-names.ts';

/** A CSV file's delimiter and its columns. */
export interface CsvHeader {
  readonly delimiter: string;
  /** Their names in the file, or by position. */
  readonly keys: readonly string[];
  /** Their names in the table, each different from the others. */
  readonly names: readonly string[];
  /** Whether blanks around values are left out. */
  readonly trim: boolean;
  /** Whether the first line names the columns, but looks like a row. */
  readonly isLikeRow: boolean;
  /** Whether the first line may be a title above the names: most of its cells are empty. */
  readonly isTitle: boolean;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** DuckDB reads no longer line. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Reads the header. Throws invalid_argument if the file is empty, if its header has no end, or if a
 * name repeats.
 */
export async function readCsvHeader(
  file: InputFile,
  { delimiter: named, hasHeader = true, rename = {}, ...options }: ReadingOptions = {},
): Promise<CsvHeader> {
  const line = await firstRecord(file);
  if (line === '') throw refuse(file, 'its first line is empty; it must name the columns');
  const delimiter = csvDelimiter(file, line, named);
  const written = csvCells(line, delimiter);
  const trim = options.trim ?? (hasHeader && areMostlySpaced(written));
  const cells = trim ? written.map((cell) => cell.trim()) : written;
  const keys = cells.map((cell, i) => {
    const position = columnName('', i);
    const isByPosition = Object.hasOwn(rename, position) && !cells.includes(position);
    return hasHeader && !isByPosition && cell !== '' ? cell : position;
  });
  const names = keys.map((key) => (Object.hasOwn(rename, key) ? rename[key] : key));
  refuseTwins(names, `columns of ${file.shown}`, 'rename');
  const isLikeRow = hasHeader && Object.keys(rename).length === 0 && looksLikeRow(cells);
  const isTitle = hasHeader && cells.filter((cell) => cell === '').length > cells.length / 2;
  return { delimiter, keys, names, trim, isLikeRow, isTitle };
}

const TIME = String.raw`\d{4}-\d\d-\d\d([T ]|$)|\d{1,3}(\.\d{1,3}){3}\b`;

/** A time or an address begins a name, or the first name is a number. Years may be names. */
const looksLikeRow = (cells: readonly string[]): boolean =>
  /^[-+]?\d+(\.\d+)?$/.test(cells[0]) || cells.some((cell) => new RegExp(`^(${TIME})`).test(cell));

/** The delimiter of a file by its first line, unless the caller or its name says which. */
export const csvDelimiter = ({ shown }: InputFile, line: string, named?: string): string =>
  named ?? endingDelimiter(shown) ?? mostFrequent(line);

function endingDelimiter(name: string): string | undefined {
  const [, ending] = /\.(t|p)(?:sv|ab)\b/i.exec(name) ?? [];
  return ending === undefined ? undefined : /t/i.test(ending) ? '\t' : '|';
}

/** Most names after the first one have blanks around them. */
const areMostlySpaced = (cells: readonly string[]) =>
  cells.filter((cell) => cell !== cell.trim()).length > (cells.length - 1) / 2;

async function firstRecord(file: InputFile): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of inputBytes(file)) {
    parts.push(part);
    bytes += part.length;
    const text = withoutEmpty(Buffer.concat(parts).toString('utf8'), file);
    const end = endOfRecord(text);
    if (end >= 0) return withoutMark(text.slice(0, end));
    if (bytes > MOST_BYTES) throw refuse(file, `its first line has more than ${MOST_BYTES} bytes`);
  }
  return withoutMark(withoutEmpty(Buffer.concat(parts).toString('utf8'), file));
}

const withoutEmpty = (text: string, { linesBefore = 0 }: InputFile): string =>
  text.replace(new RegExp(`^(?:\\r?\\n){${linesBefore}}`), '');

const withoutMark = (text: string) => (text.startsWith('\ufeff') ? text.slice(1) : text);

function endOfRecord(text: string): number {
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '\n' || char === '\r')) return i;
  }
  return -1;
}

function mostFrequent(line: string): string {
  const bare = line.replace(/"([^"]|"")*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))];
}

/** The values of a record. */
export function csvCells(line: string, delimiter: string): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at <= line.length; at++) {
    const end = endOfName(line, at, delimiter);
    const raw = line.slice(at, end);
    names.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    at = end;
  }
  return names;
}

function endOfName(line: string, from: number, delimiter: string): number {
  let quoted = false;
  for (let i = from; i < line.length; i++) {
    if (line[i] === '"') quoted = !quoted;
    else if (!quoted && line[i] === delimiter) return i;
  }
  return line.length;
}

/** A column without a name gets one from its position: `column0` is the first. */
const columnName = (name: string, i: number) => (name === '' ? `column${i}` : name);

function refuse(file: InputFile, why: string): LakeError {
  return new LakeError('invalid_argument', `cannot read ${file.shown}: ${why}`, {
    file: file.path,
  });
}
