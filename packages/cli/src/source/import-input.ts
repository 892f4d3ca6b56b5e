import { LhsError } from '@lakehouse-search/contract';
import type { InputKind, ReadingOptions, WriteInput } from '@lakehouse-search/lake';

/** Values of `--input-format`, and how they are read. */
export const INPUT_FORMATS = {
  csv: 'csv',
  ndjson: 'json',
  parquet: 'parquet',
  lines: 'lines',
  arrow: 'arrow',
  avro: 'avro',
  xlsx: 'xlsx',
} as const satisfies Readonly<Record<string, InputKind>>;

/** Files, or standard input for `-` alone. Throws invalid_argument. */
export function inputOf(
  files: readonly string[],
  options: ReadingOptions,
): Exclude<WriteInput, { kind: 'rows' }> {
  if (files.length === 1 && files[0] === '-') {
    return { kind: 'stream', stream: process.stdin, options };
  }
  if (files.includes('-')) {
    throw new LhsError('invalid_argument', '"-" (standard input) cannot be combined with files');
  }
  return { kind: 'files', paths: files, options };
}
