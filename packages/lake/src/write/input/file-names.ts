import { quoteText } from '../../scan/duckdb/quoting.ts';
import type { InputFile } from './input-files.ts';

/** The column for the name of each row's file (`ReadingOptions.filename`). */
export const FILENAME = 'filename';

/** The name of a file as the caller wrote it. */
const fileName = ({ shown }: InputFile): string => shown.replace(/^"(.*?)"/, '$1');

/** A relation over one file, with its name in front. */
export const withFileName = (relation: string, file: InputFile): string =>
  `(SELECT ${quoteText(fileName(file))} AS ${FILENAME}, * FROM ${relation})`;

/** A relation of DuckDB with `filename=true`, with the names of files in place of their paths. */
export function withFileNames(relation: string, files: readonly InputFile[]): string {
  const names = files.map((file) => `${quoteText(file.path)}: ${quoteText(fileName(file))}`);
  const name = `MAP {${names.join(', ')}}[${FILENAME}]`;
  return `(SELECT ${name} AS ${FILENAME}, * EXCLUDE (${FILENAME}) FROM ${relation})`;
}
