/**
 * Rows of logs. Without a pattern, the first lines say what a log is:
 *
 * | lines                                           | columns                                   |
 * |-------------------------------------------------|-------------------------------------------|
 * | access logs (common, combined)                  | those of the patterns in grok.ts          |
 * | syslog (RFC 3164, RFC 5424)                     | the same                                  |
 * | JSON objects, also after other text             | those of the objects, and `prefix`        |
 * | blocks of `KEY=value` (`journalctl -o export`)  | the keys                                  |
 * | anything else                                   | `n` and `line`                            |
 *
 * Lines that do not fit are rows whose only value is `unmatched`. Empty lines are left out.
 */
import { inputBytes } from '../input/input-bytes.ts';
import type { InputFile } from '../input/input-files.ts';
import type { ReadingOptions } from '../input/reading-options.ts';
import type { Conversion } from './conversion.ts';
import { grokPattern, type LinePattern, linePattern } from './grok.ts';
import { journalEntries } from './journal.ts';
import { textLines } from './text-lines.ts';
import { writeLines } from './write-lines.ts';

/** What a log is: what was found, or what the caller names. */
export type LogKind =
  | { readonly log: 'lines' | 'files' | 'json' | 'journal' }
  | { readonly log: 'pattern'; readonly name: string; readonly pattern: LinePattern };

/** How lines are read. */
export type LineOptions = Pick<ReadingOptions, 'lines' | 'wholeFiles' | 'pattern' | 'grok' | 'log'>;

const SAMPLE_LINES = 200;
const LEAST_SHARE = 0.9;
const KNOWN = ['COMBINEDAPACHELOG', 'COMMONAPACHELOG', 'SYSLOG5424LINE', 'SYSLOGLINE'] as const;

/** What files of lines are: as the caller says, else by their first lines. */
export async function logKind(
  files: readonly InputFile[],
  { lines, wholeFiles, pattern, grok, log }: LineOptions,
): Promise<LogKind> {
  if (pattern !== undefined) {
    return { log: 'pattern', name: 'pattern', pattern: linePattern(pattern) };
  }
  if (grok !== undefined) return { log: 'pattern', name: 'grok', pattern: grokPattern(grok) };
  if (wholeFiles === true) return { log: 'files' };
  if (lines === true) return { log: 'lines' };
  if (log !== undefined) return namedLog(log);
  return knownLog(await firstLines(files)) ?? { log: 'lines' };
}

const LEAST_CSV_LINES = 3;

/** Whether each of the first lines has the same delimiter equally often. */
export async function looksLikeCsv(files: readonly InputFile[]): Promise<boolean> {
  const sample = await firstLines(files);
  return [',', ';', '\t', '|'].some((delimiter) => {
    const counts = new Set(sample.map((line) => line.split(delimiter).length));
    return sample.length >= LEAST_CSV_LINES && counts.size === 1 && !counts.has(1);
  });
}

/** Patterns that plain lines may fit, the more precise ones first. */
const SUGGESTED = [
  '%{TIMESTAMP_ISO8601:timestamp} %{LOGLEVEL:level} %{GREEDYDATA:message}',
  '%{TIMESTAMP_ISO8601:timestamp} %{GREEDYDATA:message}',
  '%{NOTSPACE:program} %{TIMESTAMP_ISO8601:timestamp}: %{GREEDYDATA:message}',
  '%{NOTSPACE:name}: %{GREEDYDATA:value}',
];

/** A pattern of grok that the first lines fit. */
export async function suggestedGrok(files: readonly InputFile[]): Promise<string | undefined> {
  const sample = await firstLines(files);
  const suggested = SUGGESTED.find((grok) => {
    const { regex } = grokPattern(`^${grok}$`);
    return sample.filter((line) => regex.test(line)).length > LEAST_SHARE * sample.length;
  });
  return suggested ?? columnsGrok(sample);
}

/** A pattern of columns between blanks: all lines have equally many, half of them numbers. */
function columnsGrok(sample: readonly string[]): string | undefined {
  const rows = sample.map((line) => line.trim().split(/\s+/));
  const [first = []] = rows;
  const isNumber = (_: string, i: number) => rows.every((row) => /^-?\d+(\.\d+)?$/.test(row[i]));
  const areEqual = rows.every(({ length }) => length === first.length);
  if (rows.length < LEAST_CSV_LINES || first.length < 2 || !areEqual) return undefined;
  if (first.filter(isNumber).length < first.length / 2) return undefined;
  const columns = first.map((_, i) => `%{NOTSPACE:column${i}}`);
  return String.raw`^\s*${columns.join(String.raw`\s+`)}\s*$`;
}

async function firstLines(files: readonly InputFile[]): Promise<readonly string[]> {
  const sample: string[] = [];
  for await (const line of textLines(files)) {
    if (line !== '' && sample.push(line) === SAMPLE_LINES) break;
  }
  return sample;
}

/** The name of what a log is. */
export const logName = (kind: LogKind): string => (kind.log === 'pattern' ? kind.name : kind.log);

function namedLog(name: string): LogKind {
  if (name === 'lines' || name === 'json' || name === 'journal') return { log: name };
  return { log: 'pattern', name, pattern: grokPattern(`^%{${name}}$`) };
}

/** What a log is by its first lines, without empty ones; null if it is none that is known. */
export function knownLog(sample: readonly string[]): LogKind | null {
  const fits = (test: (line: string) => boolean) =>
    sample.length > 0 && sample.filter(test).length >= LEAST_SHARE * sample.length;
  if (sample.some((line) => /^__REALTIME_TIMESTAMP=\d+$/.test(line))) return { log: 'journal' };
  for (const name of KNOWN) {
    const known = namedLog(name);
    if (known.log === 'pattern' && fits((line) => known.pattern.regex.test(line))) return known;
  }
  return fits((line) => jsonOf(line) !== null) ? { log: 'json' } : null;
}

/** Rows of a log in a file for DuckDB, and how it reads them. */
export interface LogRows {
  readonly file: InputFile;
  readonly format: 'csv' | 'json';
  readonly options: Pick<ReadingOptions, 'types' | 'nulls' | 'dateFormats'>;
  readonly unmatched: number;
}

/** Writes the rows of a log. Throws disk_full, AbortError. */
export async function writeLogRows(
  files: readonly InputFile[],
  kind: LogKind,
  { options, newPath, signal }: Conversion,
): Promise<LogRows> {
  const { hasFixedColumns = false, linesBefore = 0 } = options;
  const csv = (path: string) => ({ path, compression: null, shown: files[0].shown });
  switch (kind.log) {
    case 'lines': {
      const file = csv(newPath('.csv'));
      await writeLines(numberedLines(files, linesBefore), file.path, signal);
      const types = { n: 'long', line: 'string' };
      return { file, format: 'csv', options: { types }, unmatched: 0 };
    }
    case 'files': {
      const file = csv(newPath('.ndjson'));
      await writeLines(wholeTexts(files), file.path, signal);
      return { file, format: 'json', options: { types: { text: 'string' } }, unmatched: 0 };
    }
    case 'pattern':
      return writeMatches(files, kind.pattern, csv(newPath('.csv')), hasFixedColumns, signal);
    case 'json':
    case 'journal': {
      const file = csv(newPath('.ndjson'));
      const isJson = kind.log === 'json';
      const rows = isJson ? jsonLines(files, hasFixedColumns) : journalEntries(files);
      await writeLines(rows, file.path, signal);
      const types = { prefix: 'string', unmatched: 'string' };
      const options = isJson && hasFixedColumns ? { types } : {};
      return { file, format: 'json', options, unmatched: 0 };
    }
  }
}

const cell = (text: string | undefined) =>
  text === undefined ? '' : `"${text.replaceAll('"', '""')}"`;

async function* wholeTexts(files: readonly InputFile[]): AsyncGenerator<string> {
  for (const file of files) {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of inputBytes(file)) text += decoder.decode(bytes, { stream: true });
    yield JSON.stringify({ text: text + decoder.decode() });
  }
}

async function* numberedLines(files: readonly InputFile[], before: number): AsyncGenerator<string> {
  yield 'n,line';
  let n = before;
  for await (const line of textLines(files)) {
    n++;
    if (line !== '') yield `${n},${cell(line)}`;
  }
}

async function writeMatches(
  files: readonly InputFile[],
  { regex, types }: LinePattern,
  file: InputFile,
  hasFixedColumns: boolean,
  signal?: AbortSignal,
): Promise<LogRows> {
  const names = Object.keys(new RegExp(`${regex.source}|`).exec('')?.groups ?? {});
  let unmatched = 0;
  for await (const line of textLines(files)) {
    signal?.throwIfAborted();
    if (line !== '' && !regex.test(line)) unmatched++;
  }
  const isComplete = unmatched === 0 && !hasFixedColumns;
  const columns = isComplete ? names : [...names, 'unmatched'];
  const rows = async function* () {
    yield columns.map(cell).join(',');
    for await (const line of textLines(files)) {
      if (line === '') continue;
      const values = regex.exec(line)?.groups ?? { unmatched: line };
      yield columns.map((name) => cell(values[name])).join(',');
    }
  };
  await writeLines(rows(), file.path, signal);
  const texts = isComplete ? types : { ...types, unmatched: 'string' };
  const dateFormats = ['%d/%b/%Y:%H:%M:%S %z'];
  return { file, format: 'csv', options: { types: texts, nulls: ['-'], dateFormats }, unmatched };
}

/** The JSON object at the end of a line, and what is before it; null if there is none. */
function jsonOf(line: string): { readonly prefix: string; readonly object: string } | null {
  const at = line.indexOf('{');
  if (at < 0 || !line.trimEnd().endsWith('}')) return null;
  try {
    const object = line.slice(at).trim();
    JSON.parse(object);
    return { prefix: line.slice(0, at).trim(), object };
  } catch {
    return null;
  }
}

async function* jsonLines(
  files: readonly InputFile[],
  hasFixedColumns: boolean,
): AsyncGenerator<string> {
  for await (const line of textLines(files)) {
    if (line === '') continue;
    const found = jsonOf(line);
    const { prefix, object } = found ?? { prefix: '', object: '{}' };
    const unmatched = found === null ? line : null;
    const more = hasFixedColumns
      ? { prefix: prefix === '' ? null : prefix, unmatched }
      : { ...(prefix !== '' && { prefix }), ...(unmatched !== null && { unmatched }) };
    yield withMembers(object, more);
  }
}

/** The text of a JSON object with more members before its own. */
function withMembers(object: string, more: object): string {
  if (Object.keys(more).length === 0) return object;
  const rest = /^\{\s*\}$/.test(object) ? '}' : `,${object.slice(1)}`;
  return `${JSON.stringify(more).slice(0, -1)}${rest}`;
}
