import { LhsError } from '@lakehouse-search/contract';
import type { InputFormat, WriteInput } from '@lakehouse-search/lake';

const FORMATS: Readonly<Record<string, InputFormat>> = {
  csv: 'csv',
  ndjson: 'json',
  parquet: 'parquet',
};

/** Values of `--input-format`. */
export const INPUT_FORMATS = Object.keys(FORMATS);

/**
 * Files, or standard input for `-` alone. `format`: of INPUT_FORMATS, for standard input only.
 * Throws invalid_argument.
 */
export function inputOf(files: readonly string[], format?: string): WriteInput {
  if (files.length === 1 && files[0] === '-') {
    const named = format === undefined ? {} : { format: FORMATS[format] };
    return { kind: 'stream', stream: process.stdin, ...named };
  }
  if (files.includes('-')) {
    throw new LhsError('invalid_argument', '"-" (standard input) cannot be combined with files');
  }
  if (format !== undefined) {
    throw new LhsError('invalid_argument', '--input-format is for standard input', {
      hint: 'the ending of a file determines its format; use "-" to read standard input',
    });
  }
  return { kind: 'files', paths: files };
}
