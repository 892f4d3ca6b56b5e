import { LhsError } from '@lakehouse-search/contract';
import type { ReadingOptions } from '@lakehouse-search/lake';
import { Flags } from '@oclif/core';
import { shellWord } from '../terminal/errors/shell-word.ts';
import { INPUT_FORMATS } from './import-input.ts';

/** Flags that say how files are read; without one it is detected. */
export const readingFlags = {
  'input-format': Flags.string({
    options: Object.keys(INPUT_FORMATS),
    description: 'format of the files (by their endings; of standard input by its bytes)',
  }),
  null: Flags.string({
    description: 'texts that mean NULL',
    helpValue: 'NA,-',
    multiple: true,
    multipleNonGreedy: true,
  }),
  type: Flags.string({
    description: 'type of a column of a new table; json also of a key of JSON inside: A.B=json',
    helpValue: 'COL=TYPE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  rename: Flags.string({
    description: 'name of a column in the table, or of a key of JSON inside: A.B=NAME',
    helpValue: 'COL=NAME',
    multiple: true,
    multipleNonGreedy: true,
  }),
  delimiter: Flags.string({ description: 'of CSV: one character, or tab', helpValue: 'CHAR' }),
  encoding: Flags.string({ description: 'latin1, utf-16le, shift_jis, …', helpValue: 'NAME' }),
  header: Flags.boolean({
    description: 'the first line of CSV names the columns',
    allowNo: true,
    default: true,
  }),
  'skip-lines': Flags.integer({
    description: 'lines above the names of CSV or a worksheet (those without a value)',
    helpValue: 'N',
    min: 1,
  }),
  comment: Flags.string({
    description: 'what comments in CSV begin with (#, if the first line does)',
    helpValue: 'MARK',
  }),
  trim: Flags.boolean({
    description: 'leave out blanks around values of CSV (if most names have some)',
    allowNo: true,
  }),
  pad: Flags.boolean({ description: 'NULL where lines of CSV lack their last values' }),
  'skip-bad-lines': Flags.boolean({ description: 'leave out lines of CSV that do not fit' }),
  decimal: Flags.string({ options: ['.', ','], description: 'decimal mark of CSV' }),
  'date-format': Flags.string({
    description: "dates besides ISO 8601: '%d.%m.%Y'",
    helpValue: 'FORMAT',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'sample-rows': Flags.integer({
    description: 'rows that decide on types (all)',
    min: 1,
    helpValue: 'N',
  }),
  lines: Flags.boolean({
    description: 'text: each line is a row, whatever it is',
    exclusive: ['pattern', 'grok'],
  }),
  'whole-files': Flags.boolean({
    description: 'text: each file is a row, with its name and its text',
    exclusive: ['lines', 'pattern', 'grok'],
  }),
  filename: Flags.boolean({ description: 'add a column with the name of the file of each row' }),
  pattern: Flags.string({
    description: 'text: columns are the named groups',
    helpValue: 'REGEX',
    exclusive: ['grok'],
  }),
  grok: Flags.string({ description: 'text: a pattern of grok', helpValue: 'PATTERN' }),
  sheet: Flags.string({ description: 'worksheet of a workbook (the first)', helpValue: 'NAME' }),
  'rows-of': Flags.string({ options: ['keys'], description: 'JSON: each key is a row' }),
  'rows-at': Flags.string({ description: 'JSON: path of the rows', helpValue: 'A.B' }),
};

const { 'sample-rows': _, ...withoutSample } = readingFlags;
/** The same for a table that has types. */
export const existingTableFlags = withoutSample;

/** Values of `readingFlags`, as oclif has read them. */
export interface ReadingFlags {
  readonly 'input-format'?: string;
  readonly null?: readonly string[];
  readonly type?: readonly string[];
  readonly rename?: readonly string[];
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly header?: boolean;
  readonly 'skip-lines'?: number;
  readonly comment?: string;
  readonly trim?: boolean;
  readonly pad?: boolean;
  readonly 'skip-bad-lines'?: boolean;
  readonly decimal?: string;
  readonly 'date-format'?: readonly string[];
  readonly 'sample-rows'?: number;
  readonly lines?: boolean;
  readonly 'whole-files'?: boolean;
  readonly filename?: boolean;
  readonly pattern?: string;
  readonly grok?: string;
  readonly sheet?: string;
  readonly 'rows-of'?: string;
  readonly 'rows-at'?: string;
}

/** How files are read, from flags. Throws invalid_argument. */
export function readingOptions(flags: ReadingFlags): ReadingOptions {
  const format = flags['input-format'] as keyof typeof INPUT_FORMATS | undefined;
  const path = flags['rows-at']?.split('.') ?? (flags['rows-of'] === undefined ? null : []);
  return {
    kind: format && INPUT_FORMATS[format],
    nulls: flags.null?.flatMap((texts) => texts.split(',')),
    types: pairs('type', flags.type),
    rename: pairs('rename', flags.rename),
    delimiter: flags.delimiter === undefined ? undefined : delimiterOf(flags.delimiter),
    encoding: flags.encoding,
    hasHeader: flags.header,
    skipLines: flags['skip-lines'],
    comment: flags.comment,
    trim: flags.trim,
    pad: flags.pad,
    skipBadLines: flags['skip-bad-lines'],
    decimal: flags.decimal as '.' | ',' | undefined,
    dateFormats: flags['date-format']?.map(dateFormatOf),
    sampleRows: flags['sample-rows'],
    lines: flags.lines,
    wholeFiles: flags['whole-files'],
    filename: flags.filename,
    pattern: flags.pattern,
    grok: flags.grok,
    sheet: flags.sheet,
    rowsAt: path === null ? undefined : { path, isGuess: false },
  };
}

/** Parts of a date in other notations, and in that of strptime. */
const PARTS = [
  [/yyyy/gi, '%Y'],
  [/yy/gi, '%y'],
  [/dd/gi, '%d'],
  [/hh/gi, '%H'],
  [/ss/gi, '%S'],
  [/(?<=%H[^%a-z]*)(mm|mi)/gi, '%M'],
  [/mmm/gi, '%b'],
  [/mm/gi, '%m'],
] as const;

function dateFormatOf(format: string): string {
  if (format.includes('%')) return format;
  const meant = PARTS.reduce((text, [part, sign]) => text.replace(part, sign), format);
  const hint = `--date-format ${shellWord(meant.includes('%') ? meant : '%d.%m.%Y')}`;
  const message = `"${format}" of --date-format has no part of a date such as %Y`;
  throw new LhsError('invalid_argument', message, { hint });
}

function delimiterOf(text: string): string {
  const char = text === 'tab' || text === '\\t' ? '\t' : text;
  if (/^[^"\r\n]$/.test(char)) return char;
  throw new LhsError('invalid_argument', `--delimiter is one character or tab, not "${text}"`);
}

function pairs(flag: string, texts: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.lastIndexOf('=');
      if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
      throw new LhsError('invalid_argument', `--${flag} takes COLUMN=VALUE, not "${text}"`);
    }),
  );
}
