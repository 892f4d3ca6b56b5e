import { LhsError } from '@lakehouse-search/contract';
import { nearest } from '@lakehouse-search/contract/internal';
import { LakeError } from '@lakehouse-search/lake';
import { nearFile } from '../files/near-file.ts';
import { shellWord } from '../terminal/errors/shell-word.ts';

const ADVICE: Readonly<
  Record<string, (details: Readonly<Record<string, unknown>>) => string | undefined>
> = {
  address: () => 'curl -fL ADDRESS | lhs source import - …',
  file: ({ file }) => nearFile(String(file)),
  encoding: () => '--encoding latin1 (or utf-16le, shift_jis, …) names it',
  key: () => '--key COLUMN (or --key A,B) names the columns that tell which row a row replaces',
  kind: ({ patterns }) =>
    Array.isArray(patterns) && patterns.length > 0
      ? `take files of one kind: ${patterns.map(shellWord).join(' or ')}`
      : '--input-format csv (or ndjson, lines, parquet, arrow, avro, xlsx) names it',
  layout: () => 'leave out --partition-by and --format-version, or import into another --table',
  memory: () =>
    '--type COLUMN=json reads the objects of a column as JSON texts; --memory SIZE allows more',
  line: () =>
    '--pad fills short lines with NULL; --skip-bad-lines leaves out bad lines, and counts them; ' +
    '--skip-lines N leaves out lines above the names',
  name: ({ name, known }) => nearName(String(name), known as readonly string[]),
  partitioning: () =>
    '--partition-by takes COLUMN, bucket[16](COLUMN) or truncate[4](COLUMN); year, month, day ' +
    'take a column of dates or timestamps, hour one of timestamps',
  present_key: () =>
    'lhs source upsert TABLE FILE replaces them; --allow-duplicate-keys keeps both rows of a key',
  repeat: () =>
    '--key A,B names columns that together differ in all rows; ' +
    'an import keeps rows of one key with --allow-duplicate-keys',
  partition: ({ column, type }) =>
    `--type '${column}=${type}' names the type; --rename names the column; ` +
    'another --table takes any columns',
  rename: ({ at }) => `--rename column${at}=NAME renames the second one`,
  required: () =>
    '--key COLUMN (or --key A,B) names columns with a value in every row; ' +
    'a new table without --key has rows without one',
  table: () => '--append adds to it; --replace replaces its rows and columns in one commit',
  inner_variant: ({ path }) => `--type ${shellWord(`${path}=json`)} makes a JSON text`,
  twins: twinsAdvice,
  unknown_column: ({ column, known }) => {
    const near = nearest(String(column), known as readonly string[]) ?? 'NAME';
    const name = shellWord(`${column}=${near}`);
    return `--rename ${name} reads it as ${near}; lhs import --replace replaces rows and columns`;
  },
  variant: () => '--format-version 3 makes a table that has variants',
  value: valueAdvice,
};

function nearName(name: string, known: readonly string[]): string | undefined {
  const near = nearest(name, known);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

/** A value that does not fit its column. The types of a table stay with `--append` and `upsert`. */
function valueAdvice(details: Readonly<Record<string, unknown>>): string {
  const { column, value, expected, isNested } = details;
  const typed = (type: string) => `--type ${shellWord(`${column}=${type}`)}`;
  if (isNested === true) return `${typed('json')} makes a new table keep it in a JSON text`;
  const texts = `${typed('string')} makes a column of texts in a new table (or --replace)`;
  const isNumber = /^-?\d+(\.\d+)?$/.test(String(value));
  if (isNumber && String(expected).startsWith('a ')) return dateAdvice(String(value));
  if (isNumber) return `${typed('decimal(38,6)')} keeps such numbers, ${texts}`;
  const isNull = `--null ${shellWord(String(value))} reads it as NULL`;
  return `${isNull}; ${texts}; --date-format and --decimal name other notations`;
}

const COMPACT_DATE = /^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;

/** A number where a date or a time is expected. */
const dateAdvice = (value: string): string =>
  COMPACT_DATE.test(value)
    ? '--date-format %Y%m%d reads it as a date'
    : 'a new table without --type keeps the number: index init makes a DATE of seconds since 1970';

/** Keys of JSON that differ only in case: `path` is that of the object that has them. */
function twinsAdvice(details: Readonly<Record<string, unknown>>): string {
  const { path, keys, rows, pairs, isKeyed, rowsAt } = details;
  if (!Array.isArray(keys) || !Array.isArray(rows)) return '--rename KEY=NAME renames one';
  const [first, second] = keys.map(String);
  const key = path === '' ? second : `${path}.${second}`;
  const inner =
    typeof rowsAt === 'string' ? [`--rows-at ${shellWord(rowsAt)} reads its members`] : [];
  const renames = [`--rename ${shellWord(`${key}=NAME`)} renames "${second}"`];
  if (rows[0] !== rows[1])
    renames.push(`--rename ${shellWord(`${key}=${first}`)} reads both as "${first}"`);
  const whole: string[] = [];
  if (path !== '')
    whole.push(`--type ${shellWord(`${path}=json`)} reads the object as a JSON text`);
  else if (isKeyed === true)
    whole.push(
      '--type value=json reads each object as a JSON text; ' +
        '--type value=variant --format-version 3 as a variant, which is searched by path',
    );
  // one --rename is no way out of several pairs
  const ways = pairs === 1 ? [...inner, ...renames, ...whole] : [...whole, ...inner, ...renames];
  return ways.join('; ');
}

/** Reasons that are no fault of the command line. */
const OWN_CODES: ReadonlySet<string> = new Set([
  'unsupported',
  'input_not_found',
  'duplicate_key',
  'out_of_memory',
]);

/** The error of an import with the flags that are a way out. */
export function adviceOf(error: unknown): unknown {
  if (!(error instanceof LakeError)) return error;
  const hint = ADVICE[String(error.details.option)]?.(error.details);
  if (hint === undefined) return error;
  const { option: _, ...details } = error.details;
  const code = OWN_CODES.has(error.reason) ? error.code : 'invalid_argument';
  return new LhsError(code, error.message, { cause: error, hint, details });
}
