import { LhsError, type ModeRequest, type SearchMode } from '@lakehouse-search/contract';
import { type BackendApi, jsonValue } from '@lakehouse-search/contract/internal';
import { readLines } from '../files/read-text.ts';
import { errorReport } from '../terminal/errors/error-report.ts';
import type { Style } from '../terminal/style.ts';
import { modeRequest, searchByMode, shapedAnswer } from './run-search.ts';
import type { SearchFlags } from './search-flags.ts';

/** Where answers to the lines of a file go, and how errors are printed. */
export interface QueryFileOutput {
  /** Prints one value per line of the file as JSON; resolves when more may be printed. */
  readonly data: (value: unknown) => Promise<void>;
  /** Takes lines for people. */
  readonly err: (...lines: readonly string[]) => void;
  readonly style: Style;
  readonly width: number;
}

/** Errors caused by one line of the file: the next line may be valid. */
const LINE_FAULTS: ReadonlySet<string> = new Set([
  'invalid_query',
  'invalid_argument',
  'limit_exceeded',
]);

/**
 * Runs a file of queries against one open index: each line a query string (in the other modes a
 * text), or a JSON request of the mode; `-` is standard input. Prints one wire answer per line, in
 * order; a line that is refused gets its error body instead, is named on stderr and sets the exit
 * code. Throws every error that is not the line's fault, with the line's place.
 */
export async function runQueryFile(
  backend: BackendApi,
  mode: SearchMode,
  index: string,
  file: string,
  flags: SearchFlags,
  output: QueryFileOutput,
): Promise<void> {
  let number = 0;
  for await (const line of readLines(file)) {
    number++;
    if (line.trim() === '') continue;
    try {
      const question = lineQuestion(await modeRequest(mode, index, line, flags), line);
      const answer = await searchByMode(backend, question);
      await output.data(shapedAnswer(answer, flags));
    } catch (error) {
      await refuseLine(error, `${file}:${number}`, output);
    }
  }
}

/** Prints the error of a line in the place of its answer. Throws what is not the line's fault. */
async function refuseLine(error: unknown, place: string, output: QueryFileOutput): Promise<void> {
  if (!(error instanceof LhsError)) throw error;
  const { code, hint, next, place: at, details, cause } = error;
  const options = { hint, next, place: at, details, cause };
  const named = new LhsError(code, `${place}: ${error.message}`, options);
  if (!LINE_FAULTS.has(code)) throw named;
  const { lines, exit, body } = errorReport(named, output.style, output.width);
  await output.data(body);
  output.err(...lines);
  process.exitCode = exit;
}

/** The fields of a line that is an object take precedence over the flags. */
function lineQuestion(plain: ModeRequest, line: string): ModeRequest {
  if (!line.trimStart().startsWith('{')) return plain;
  const own = jsonValue(line, 'the request') as object;
  if (plain.mode === 'lexical') {
    const { query: _, ...rest } = plain.request;
    return { mode: plain.mode, request: { ...rest, ...own } };
  }
  const { query_text: _, ...rest } = plain.request;
  return { mode: plain.mode, request: { ...rest, ...own } };
}

/** The queries of a file: a JSON array of strings, or a query a line. */
export function queriesOf(text: string): string[] {
  if (text.trimStart().startsWith('[')) {
    return (jsonValue(text, 'the file of queries') as readonly unknown[]).map(queryText);
  }
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

function queryText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((v) => typeof v === 'string')) return value.join(' ');
  throw new LhsError('invalid_argument', `query ${JSON.stringify(value)} should be a string`);
}
