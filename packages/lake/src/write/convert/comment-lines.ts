/**
 * Comments in CSV. If the first line begins with `#`, or with the mark that the caller names, each
 * line that begins with it is left out, except inside of quotes. The last one before the rows names
 * the columns if it has as many cells as the first row, unless that row looks like names. Other
 * lines keep their numbers: comments become empty lines, which are no rows if there are several
 * columns.
 */
import { csvCells, csvDelimiter } from '../input/csv-header.ts';
import type { InputFile } from '../input/input-files.ts';
import type { Conversion, ConvertedReading } from './conversion.ts';
import { linesOf } from './text-lines.ts';
import { writeLines } from './write-lines.ts';

const MARK = '#';

/** The files, those with comments copied without them, and what was left out of the first such. */
export async function withoutComments(files: readonly InputFile[], conversion: Conversion) {
  const texts: InputFile[] = [];
  let comments: ConvertedReading['comments'];
  for (const file of files) {
    const found = await withoutCommentsOf(file, conversion);
    texts.push(found?.file ?? file);
    comments ??= found && { lines: found.lines() };
  }
  return { files: texts, comments };
}

async function withoutCommentsOf(
  file: InputFile,
  { options, newPath, signal }: Conversion,
): Promise<{ readonly file: InputFile; lines(): number } | undefined> {
  const mark = options.comment ?? MARK;
  const { above, first } = await head(file, mark);
  const last = above.findLastIndex((line) => line.startsWith(mark));
  if (last < 0 || first === undefined) return undefined;
  const delimiter = csvDelimiter(file, first, options.delimiter);
  const cells = csvCells(first, delimiter);
  const isWide = cells.length > 1;
  const names = above[last].slice(mark.length).trim();
  const isNamed = isWide && options.hasHeader !== false && areNames(names, cells, delimiter);
  const isPlain = options.comment === undefined;
  const isAlone = above.findIndex((line) => line.startsWith(mark)) === last;
  // names that begin with the mark, or texts in a single column
  if (isPlain && (!isWide || (isNamed && isAlone))) return undefined;
  const linesBefore = !isWide ? 0 : isNamed ? last : above.length;
  let left = 0;
  const rest = async function* () {
    let isQuoted = false;
    let number = 0;
    for await (const line of linesOf(file)) {
      number++;
      const end = line.endsWith('\r') ? '\r' : '';
      if (isNamed && number === last + 1) yield names + end;
      else if (!isQuoted && line.startsWith(mark)) {
        left++;
        if (isWide) yield end;
      } else {
        yield line;
        if ((line.split('"').length - 1) % 2 === 1) isQuoted = !isQuoted;
      }
    }
  };
  const path = newPath('.csv');
  await writeLines(rest(), path, signal);
  return { file: { path, compression: null, shown: file.shown, linesBefore }, lines: () => left };
}

/** Whether a comment names the columns of a row: sentences have commas, but no tabs. */
function areNames(comment: string, row: readonly string[], delimiter: string): boolean {
  const names = csvCells(comment, delimiter).length;
  if (delimiter === '\t') return names >= row.length;
  return names === row.length && row.some((cell) => /^[-+]?[\d.]+$/.test(cell.trim()));
}

/** The comments and empty lines above the first other line, and that line. */
async function head(file: InputFile, mark: string) {
  const above: string[] = [];
  for await (const line of mark === '' ? [] : linesOf(file)) {
    if (line.trim() !== '' && !line.startsWith(mark)) return { above, first: line };
    above.push(line);
  }
  return { above, first: undefined };
}
