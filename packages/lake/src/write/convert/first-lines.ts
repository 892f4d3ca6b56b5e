/**
 * CSV whose names are not in its first line. The lines above them that the caller leaves out, and
 * empty ones, become empty lines, so that other lines keep their numbers; of a single column, where
 * an empty line is a row, they are left out.
 */
import { LakeError } from '../../base/errors.ts';
import { csvCells, csvDelimiter } from '../input/csv-header.ts';
import type { InputFile } from '../input/input-files.ts';
import type { Conversion } from './conversion.ts';
import { linesOf } from './text-lines.ts';
import { writeLines } from './write-lines.ts';

/** The files, those with such lines copied without them. Throws invalid_argument if none is left. */
export async function withoutFirstLines(
  files: readonly InputFile[],
  conversion: Conversion,
): Promise<readonly InputFile[]> {
  const texts: InputFile[] = [];
  for (const file of files) texts.push(await withoutFirstLinesOf(file, conversion));
  return texts;
}

async function withoutFirstLinesOf(
  file: InputFile,
  { options, newPath, signal }: Conversion,
): Promise<InputFile> {
  const { above, first } = await head(file, options.skipLines ?? 0);
  if (first === undefined && options.skipLines !== undefined) {
    const message = `${file.shown} has no names below its first ${options.skipLines} lines`;
    throw new LakeError('invalid_argument', message, { file: file.path });
  }
  if (above <= (file.linesBefore ?? 0) || first === undefined) return file;
  const isWide = csvCells(first, csvDelimiter(file, first, options.delimiter)).length > 1;
  const rest = async function* () {
    let number = 0;
    for await (const line of linesOf(file)) {
      if (number++ >= above) yield line;
      else if (isWide) yield line.endsWith('\r') ? '\r' : '';
    }
  };
  const path = newPath('.csv');
  await writeLines(rest(), path, signal);
  return { path, compression: null, shown: file.shown, linesBefore: isWide ? above : 0 };
}

/** How many lines are above the first one that has values, and that line. */
async function head(file: InputFile, skipped: number) {
  let above = 0;
  for await (const line of linesOf(file)) {
    if (above >= skipped && !/^(\uFEFF)?\r?$/.test(line)) return { above, first: line };
    above++;
  }
  return { above, first: undefined };
}
