import { LakeError } from '../../base/errors.ts';
import { JsonNode } from '../../base/json-node.ts';
import { parseType } from '../../schema/schema-json.ts';
import type { Type } from '../../schema/type.ts';
import type { JsonRows } from '../convert/json-rows.ts';
import type { InputKind } from './input-files.ts';

/** How files are read. What is not set is detected. */
export interface ReadingOptions {
  /** Default: by the ending of each file, or by the first bytes of a stream. */
  readonly kind?: InputKind;
  /** Texts that stand for NULL, besides the empty text. */
  readonly nulls?: readonly string[];
  /**
   * Types of columns by name: `long`, `decimal(9, 2)`, `timestamptz`, …. Of JSON also of keys
   * inside of objects: `a.b` with `json`, whose values become JSON texts.
   */
  readonly types?: Readonly<Record<string, string>>;
  /** Names in the table by names in the files; of JSON also those of keys inside of objects. */
  readonly rename?: Readonly<Record<string, string>>;
  readonly delimiter?: string;
  /** A label of the Encoding Standard: `latin1`, `utf-16le`, `shift_jis`, …. */
  readonly encoding?: string;
  /** Whether the first line of CSV names the columns. Default true. */
  readonly hasHeader?: boolean;
  /** Lines of CSV, or rows of a worksheet, above the names. Default: those without a value. */
  readonly skipLines?: number;
  /**
   * What comments in CSV begin with. Default `#`, if the first line begins with it; empty: CSV has
   * no comments.
   */
  readonly comment?: string;
  /** Whether blanks around values of CSV are left out. Default: if most names have some. */
  readonly trim?: boolean;
  /** Whether lines of CSV that do not fit are left out. Default false: they are errors. */
  readonly skipBadLines?: boolean;
  /** Whether columns that a line of CSV lacks at its end are NULL. Default false. */
  readonly pad?: boolean;
  /** Default `.`; with `,` a `.` separates thousands. */
  readonly decimal?: '.' | ',';
  /** Formats of dates and timestamps besides ISO 8601, in the notation of strptime. */
  readonly dateFormats?: readonly string[];
  /** Rows that decide the types. Default: all. */
  readonly sampleRows?: number;
  /** Whether each line of a text is a row as it is. */
  readonly lines?: boolean;
  /** Whether each text file is a row, with the columns `filename` and `text`. */
  readonly wholeFiles?: boolean;
  /** Whether the column `filename` has the name of each row's file. Default false. */
  readonly filename?: boolean;
  /** A regular expression for lines: its named groups are columns. */
  readonly pattern?: string;
  /** The same in the notation of grok. */
  readonly grok?: string;
  /** What lines are, as the output of an import names it. Default: by the first lines. */
  readonly log?: string;
  /** Lines before the first one, for the column `n`. */
  readonly linesBefore?: number;
  /** Whether rows of lines have a column for lines that do not fit, also if all fit. */
  readonly hasFixedColumns?: boolean;
  /** The worksheet of a workbook. Default: the first. */
  readonly sheet?: string;
  /** Where the rows of JSON texts are. Default: see `findJsonRows`. */
  readonly rowsAt?: JsonRows;
}

/** The kind that options name; undefined if they leave it open. */
export function kindFor(options: ReadingOptions): InputKind | undefined {
  const { kind, lines, wholeFiles, pattern, grok } = options;
  const isText = lines === true || wholeFiles === true || (pattern ?? grok) !== undefined;
  return kind ?? (isText ? 'lines' : undefined);
}

/** Whether rows get a column for the name of their file. */
export const hasFilename = ({ filename, wholeFiles }: ReadingOptions): boolean =>
  filename === true || wholeFiles === true;

const ALIASES: Readonly<Record<string, string>> = Object.freeze({
  text: 'string',
  json: 'string',
  varchar: 'string',
  keyword: 'string',
  bool: 'boolean',
  integer: 'int',
  bigint: 'long',
  real: 'float',
  number: 'double',
  datetime: 'timestamp',
});

const KINDS =
  'string, boolean, int, long, float, double, decimal(P, S), date, time, timestamp, ' +
  'timestamptz, uuid, json, variant';
const UNREAD: ReadonlySet<string> = new Set(['unsupported', 'unknown', 'fixed', 'binary']);

/** Names of types whose values of JSON are read as one text. */
const JSON_TYPES: ReadonlySet<string> = new Set(['json', 'variant']);

/** The columns, and the paths of keys in JSON, whose values are read as JSON texts. */
export const jsonTextPaths = ({ types = {} }: ReadingOptions): readonly string[] =>
  Object.keys(types).filter((name) => JSON_TYPES.has(types[name].trim().toLowerCase()));

/** The types of columns. Throws invalid_argument. */
export function columnTypes({ types = {} }: ReadingOptions): ReadonlyMap<string, Type> {
  return new Map(Object.entries(types).map(([name, text]) => [name, columnType(name, text)]));
}

function columnType(name: string, text: string): Type {
  const label = text.trim().toLowerCase();
  try {
    const type = parseType(new JsonNode(ALIASES[label] ?? label, name, name));
    if (!UNREAD.has(type.kind)) return type;
  } catch {
    // a decimal of more digits than there are: refused as other unknown types
  }
  throw new LakeError('invalid_argument', `column "${name}" has no type "${text}" (${KINDS})`, {
    details: { option: 'name', name: label, known: KINDS.split(', ') },
  });
}
