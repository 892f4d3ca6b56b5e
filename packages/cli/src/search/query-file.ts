import { type Backend, LhsError, type SearchMode } from '@lakehouse-search/engine';
import { readLines } from '../files/read-text.ts';
import { type MeaningFlags, searchQuestion } from './meaning-flags.ts';
import { exitWhenPartial } from './partial-exit.ts';
import { ask, type SearchQuestion } from './question.ts';
import type { SearchFlags } from './search-flags.ts';

/**
 * Runs a file of queries against one open index: each line a query string (in the other modes a
 * text), or a JSON request of the mode; `-` is standard input. One wire answer a line, in order.
 * Throws at the first line that is refused, naming it.
 */
export async function runQueryFile(
  backend: Backend,
  mode: SearchMode,
  index: string,
  file: string,
  flags: SearchFlags & MeaningFlags,
  write: (line: string) => void,
): Promise<void> {
  let number = 0;
  for await (const line of readLines(file)) {
    number++;
    if (line.trim() === '') continue;
    const plain = await searchQuestion(mode, index, line, flags);
    const question = lineQuestion(plain, line, `${file}:${number}`);
    const answer = await ask(backend, question);
    exitWhenPartial(answer, flags);
    write(JSON.stringify(answer));
  }
}

/** What a line that is an object says goes before the flags. */
function lineQuestion(plain: SearchQuestion, line: string, place: string): SearchQuestion {
  if (!line.trimStart().startsWith('{')) return plain;
  let own: object;
  try {
    own = JSON.parse(line);
  } catch (cause) {
    throw new LhsError('invalid_argument', `${place}: not a JSON search request`, { cause });
  }
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
    const values: unknown = JSON.parse(text);
    if (Array.isArray(values)) return values.map(queryText);
  }
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

function queryText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((v) => typeof v === 'string')) return value.join(' ');
  throw new LhsError('invalid_argument', `query ${JSON.stringify(value)} should be a text`);
}
