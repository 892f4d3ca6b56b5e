import {
  type InputNote,
  type InputReading,
  type ListsAsText,
  type NearlyTyped,
  type Schema,
  type SkippedLines,
  type Type,
  typeName,
  type WideObjects,
} from '@lakehouse-search/lake';
import { isNullMark } from '@lakehouse-search/lake/internal';
import { shellWord } from '../terminal/errors/shell-word.ts';
import { count, plural } from '../terminal/figures.ts';

const FORMATS = Object.freeze({
  parquet: 'Parquet',
  csv: 'CSV',
  json: 'JSON',
  lines: 'lines',
  arrow: 'Arrow',
  avro: 'Avro',
  xlsx: 'a worksheet',
  zip: 'ZIP',
});
const DELIMITERS: Readonly<Record<string, string>> = { '\t': 'tab' };

/** Columns that a line names; a wide table has thousands. */
const MOST_COLUMNS = 30;

/** `read as CSV (gzip, delimiter ";", names from line 1)`: what was guessed of an input. */
export function readingLine(reading: InputReading): string {
  const { kind, format, compression, delimiter, hasHeader, trim, encoding, rows, lines } = reading;
  const { sheet, leftOut = [], comments, header } = reading;
  const parts: string[] = compression === null ? [] : [compression];
  if (lines !== undefined) {
    parts.push(lines.as);
    if (lines.unmatched > 0) {
      parts.push(`${plural(lines.unmatched, 'line')} in the column "unmatched"`);
    }
  } else if (kind === 'csv' && delimiter !== null) {
    parts.push(`delimiter ${DELIMITERS[delimiter] ?? `"${delimiter}"`}`);
    const names = `names from line ${header.line}${rowHint(reading)}`;
    parts.push(hasHeader ? names : 'without names');
    if (comments !== undefined)
      parts.push(`${plural(comments.lines, 'comment')} left out; --comment '' reads them as rows`);
    if (trim) parts.push('without blanks around values; --no-trim keeps them');
  }
  if (encoding !== undefined) {
    const guess = '; --encoding names another one';
    parts.push(`${encoding.label}${encoding.isGuess ? `, guessed${guess}` : ''}`);
  }
  if (rows !== undefined) {
    const flag = rows.path.length === 0 ? '--rows-of keys' : `--rows-at ${rows.path.join('.')}`;
    const more = (rows.others ?? []).map((path) => `, or ${path.join('.')}`).join('');
    const unlike = (rows.unlike ?? []).map((key) => shellWord(key)).join(', ');
    const kinds = unlike === '' ? '' : `; rows of another kind: ${unlike}`;
    const without = listed(rows.leftOut ?? []);
    const besides = without === '' ? '' : `; without ${without}`;
    const other = `${more}${kinds}${besides}; --input-format ndjson reads each value as a row`;
    parts.push(`${flag}${rows.isGuess ? `, guessed${other}` : ''}`);
  }
  if (sheet !== undefined && header.isTitle) {
    parts.push(`names from row ${header.line}${rowHint(reading)}`);
  }
  if (sheet !== undefined && sheet.others.length > 0) {
    parts.push(`"${sheet.name}"; --sheet names another one: ${sheet.others.join(', ')}`);
  }
  if (leftOut.length > 0) parts.push(`without ${leftOut.join(', ')}`);
  if (lines?.isLikeCsv === true) parts.push('they look like CSV: --input-format csv');
  if (lines?.grok !== undefined) parts.push(`they fit --grok ${shellWord(lines.grok)}`);
  if (lines?.isMixed === true) {
    parts.push('--filename adds the name of the file; --whole-files makes a row of each file');
  }
  const how = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  const types =
    format === 'parquet' || kind === 'avro' || kind === 'arrow'
      ? 'types of the files'
      : 'types from all values';
  return `read as ${FORMATS[kind]}${how}, ${types}`;
}

const ROW_HINT = ', which looks like a row: --no-header reads it as one';

function rowHint({ header, isHeaderLikeRow }: InputReading): string {
  if (header.isTitle) return `, most of them empty: --skip-lines ${header.line} reads those below`;
  return isHeaderLikeRow ? `${ROW_HINT}, --input-format lines reads a log` : '';
}

/** What the user should know about an input of so many rows, each with the flag that changes it. */
export function noteLines(
  notes: readonly (InputNote | OneRow)[],
  rows?: number,
): readonly string[] {
  const alike = Object.groupBy(notes, (note) =>
    note.note === 'nearly_typed' ? `${note.kind} ${note.dateFormats ?? note.decimal}` : note.note,
  );
  return Object.values(alike).flatMap((group = []) => {
    const named = group.length > MAX_NAMED ? group.slice(0, LEAST_NAMED) : group;
    const lines = named.flatMap((note) => {
      if (note.note === 'skipped_lines') return skippedLines(note);
      if (note.note === 'one_row') return [`note: ${oneRowLine(note)}`];
      if (note.note === 'wide_objects') return [`note: ${wideLine(note, rows)}`];
      return [`note: ${note.note === 'nearly_typed' ? nearlyLine(note) : listsLine(note)}`];
    });
    return [...lines, ...alikeLine(group.slice(named.length))];
  });
}

/** `note: 57 more columns are texts of numbers: 1965, 1966, …`. */
function alikeLine(notes: readonly (InputNote | OneRow)[]): readonly string[] {
  const [first] = notes;
  if (first === undefined || !('column' in first)) return [];
  const columns = notes.flatMap((note) => ('column' in note ? [note.column] : []));
  const are = first.note === 'nearly_typed' ? `are texts of ${PLURALS[first.kind]}` : LISTS;
  return [`note: ${columns.length} more columns ${are}: ${listed(columns)}`];
}

/** The first of some names, with `…` for more. */
const listed = (names: readonly string[]): string =>
  [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? ['…'] : [])].join(', ');

/** JSON of one row whose columns have objects or lists, which may be the rows. */
interface OneRow {
  readonly note: 'one_row';
  readonly columns: readonly string[];
  /** Whether all columns are objects of the same keys. */
  readonly isByColumns: boolean;
}

/** The note on JSON of one row; none if it has no objects or lists. */
export function oneRowNotes({ fields }: Schema): readonly OneRow[] {
  const nested = fields.filter(({ type }) => ['struct', 'list', 'map'].includes(type.kind));
  if (nested.length === 0) return [];
  const keys = fields.map(({ type }) =>
    type.kind === 'struct' ? type.fields.map(({ name }) => name).join() : '',
  );
  const isByColumns = keys[0] !== '' && new Set(keys).size === 1 && fields.length > 1;
  return [{ note: 'one_row', columns: nested.map(({ name }) => name), isByColumns }];
}

/** The flags that read the objects or lists in one row as rows. */
function oneRowLine({ columns, isByColumns }: OneRow): string {
  if (isByColumns) {
    const pandas = "df.to_json(FILE, orient='records', lines=True)";
    return `1 row, whose columns have the same keys; pandas writes rows by ${pandas}`;
  }
  const at = columns.slice(0, MAX_NAMED).map((name) => `--rows-at ${shellWord(name)}`);
  return `1 row with lists or objects; ${at.join(' or ')} reads rows inside of it`;
}

const LISTS = 'have lists, kept as JSON text';

/** Columns that a note names. */
const MAX_NAMED = 5;
/** Columns of one kind with a note each, if there are more than `MAX_NAMED`. */
const LEAST_NAMED = 3;

function wideLine({ columns }: WideObjects, rows?: number): string {
  const named = columns.slice(0, MAX_NAMED).join(', ');
  const more = columns.length > MAX_NAMED ? ` and ${columns.length - MAX_NAMED} more` : '';
  const have = columns.length === 1 ? 'has objects' : 'have objects';
  return (
    `${named}${more} ${have} of too many different keys: each value is JSON ` +
    `(${rows === 1 ? `--rows-at ${columns[0]} makes each key a row; ` : ''}` +
    '--format-version 3 makes variants, which are searched by path)'
  );
}

function skippedLines({ count, first }: SkippedLines): readonly string[] {
  const named = first.map(({ file, line, reason }) => `  ${file}, line ${line}: ${reason}`);
  const more = count > first.length ? [`  … ${count - first.length} more`] : [];
  return [`note: ${plural(count, 'line')} skipped:`, ...named, ...more];
}

function nearlyLine(note: NearlyTyped): string {
  const { column, kind, isWhole, values, fitting, exceptions, ...how } = note;
  const isAll = fitting === values;
  const share = isAll ? 100 : Math.min(99.9, Math.floor((fitting / values) * 1000) / 10);
  const others = values - fitting;
  const list = exceptions.map((text) => `"${text}"`).join(', ');
  const rest = others > exceptions.length && exceptions.length > 3 ? ', …' : '';
  const except = isAll
    ? ''
    : `, ${count(others)} ${others === 1 ? 'other is' : 'others are'} ${list}${rest}`;
  const is = isWhole ? 'a number' : 'text';
  const head = `${column} is ${is}: ${share} % of its values are ${PLURALS[kind]}${except}`;
  const { notations, nulls } = flagsOf({ column, exceptions, values, fitting, ...how });
  const flags = notations.length === 0 ? [] : [notations.join(' or ')];
  if (nulls.length > 0) flags.push(nullFlag(nulls));
  const keep = `--type ${shellWord(`${column}=${isWhole ? 'long' : 'string'}`)} keeps it`;
  return `${head}; ${flags.length === 0 ? keep : `add ${flags.join(' ')} (${keep})`}`;
}

function listsLine({ column, values, lists }: ListsAsText): string {
  const are = lists === 1 ? 'is a list' : 'are lists';
  const some = `${count(lists)} of ${plural(values, 'value')} ${are}`;
  const flag = (type: string) => `--type ${shellWord(`${column}=${type}`)}`;
  const variant = `${flag('variant')} --format-version 3 reads them as lists, into a new table`;
  return `${column} is text: ${some}, kept as JSON text; ${variant} (${flag('string')} keeps it)`;
}

const PLURALS = Object.freeze({
  number: 'numbers',
  boolean: 'booleans',
  date: 'dates',
  timestamp: 'timestamps',
  time: 'times',
  address: 'addresses',
});

/** More values than this are rather texts than marks for NULL. */
const MAX_MARKS = 3;

const nullFlag = (texts: readonly string[]) => `--null ${shellWord(texts.join(','))}`;

/** The flags that make a column typed: notations, of which one is enough, and marks for NULL. */
function flagsOf(nearly: Omit<NearlyTyped, 'kind'>): {
  readonly notations: readonly string[];
  readonly nulls: readonly string[];
} {
  const { column, exceptions, decimal, type, dateFormats = [] } = nearly;
  const isAll = nearly.fitting === nearly.values;
  const areMarks = exceptions.length <= MAX_MARKS && exceptions.every(isNullMark);
  const notations = dateFormats.map((format) => `--date-format ${shellWord(format)}`);
  if (decimal !== undefined) notations.push('--decimal ,');
  if (type !== undefined && (isAll || areMarks))
    notations.push(`--type ${shellWord(`${column}=${type}`)}`);
  return { notations, nulls: !isAll && areMarks ? exceptions : [] };
}

/**
 * The flags with which the same import reads its columns as the notes advise; none if nothing is
 * advised, or if it is for the reader to choose.
 */
export function advisedFlags(
  reading: InputReading | undefined,
  notes: readonly InputNote[],
): readonly string[] {
  const grok = reading?.lines?.grok;
  const advised = notes.flatMap((note) => (note.note === 'nearly_typed' ? [flagsOf(note)] : []));
  const nulls = new Set(advised.flatMap((one) => one.nulls));
  const notations = advised.flatMap((one) => (one.notations.length === 1 ? one.notations : []));
  return [
    ...(reading?.header.isTitle === true ? [`--skip-lines ${reading.header.line}`] : []),
    ...(grok === undefined ? [] : [`--grok ${shellWord(grok)}`]),
    ...new Set(notations),
    ...(nulls.size === 0 ? [] : [nullFlag([...nulls])]),
  ];
}

/** `16 columns: sku string key, price double, …`. `table`: as commands name it. */
export function schemaLine({ fields, identifierFieldIds }: Schema, table: string): string {
  const names = fields.slice(0, MOST_COLUMNS).map(({ id, name, type }) => {
    const key = identifierFieldIds.includes(id) ? ' key' : '';
    return `${name} ${shortType(type)}${key}`;
  });
  if (fields.length > MOST_COLUMNS) names.push(`… (lhs source describe ${table})`);
  return `${plural(fields.length, 'column')}: ${names.join(', ')}`;
}

/** Characters of a type that a line shows whole. */
const TYPE_CHARS = 80;

function shortType(type: Type): string {
  const whole = typeName(type);
  if (whole.length <= TYPE_CHARS) return whole;
  if (type.kind === 'struct') return `struct of ${type.fields.length} fields`;
  return type.kind === 'list'
    ? `list<${shortType(type.element)}>`
    : `${whole.slice(0, TYPE_CHARS)}…`;
}

/** The columns of a new table for JSON. */
export function schemaColumns({ fields, identifierFieldIds }: Schema): readonly object[] {
  return fields.map(({ id, name, type }) => ({
    name,
    type: typeName(type),
    key: identifierFieldIds.includes(id),
  }));
}
