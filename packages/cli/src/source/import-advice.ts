import { LhsError } from '@lakehouse-search/contract';
import { LakeError } from '@lakehouse-search/lake';

const ADVICE: Readonly<Record<string, (details: Readonly<Record<string, unknown>>) => string>> = {
  address: () => 'curl -fL ADDRESS | lhs source import - …',
  encoding: () => '--encoding latin1 (or utf-16le, shift_jis, …) names it',
  key: () => '--key COLUMN (or --key A,B) names the columns that tell which row a row replaces',
  kind: () => '--input-format csv (or ndjson, lines, parquet, arrow, avro, xlsx) names it',
  layout: () => 'leave out --partition-by and --format-version, or import into another --table',
  line: () => '--skip-bad-lines leaves out such lines, and says how many',
  partition: ({ column, type }) =>
    `--type '${column}=${type}' names the type; --rename names the column; ` +
    'another --table takes any columns',
  rename: ({ at }) => `--rename column${at}=NAME renames the second one`,
  table: () => '--append adds to it; --replace replaces its rows and columns in one commit',
  value: ({ column, value }) =>
    `--null '${value}' reads it as NULL; --type '${column}=string' makes a column of texts; ` +
    '--date-format and --decimal name other notations',
};

/** The error of an import with the flags that are a way out. */
export function adviceOf(error: unknown): unknown {
  if (!(error instanceof LakeError)) return error;
  const hint = ADVICE[String(error.details.option)]?.(error.details);
  if (hint === undefined) return error;
  const { option: _, ...details } = error.details;
  const code = error.code === 'unsupported' ? 'unsupported' : 'invalid_argument';
  return new LhsError(code, error.message, { cause: error, hint, details });
}
