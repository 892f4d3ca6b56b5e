import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Backend, LhsError, type SearchRequest } from '@lakehouse-search/engine';
import { type SearchFlags, searchRequest } from './search-flags.ts';

/**
 * Runs a file of queries against one open index: each line a query string, or a JSON search
 * request; `-` is standard input. One wire answer a line, in order. Throws at the first line that
 * is refused, naming it.
 */
export async function runQueryFile(
  backend: Backend,
  index: string,
  file: string,
  flags: SearchFlags,
  write: (line: string) => void,
): Promise<void> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() === '') continue;
    const request = lineRequest(index, line, flags, `${file}:${number}`);
    write(JSON.stringify(await backend.search(request)));
  }
}

function lineRequest(
  index: string,
  line: string,
  flags: SearchFlags,
  place: string,
): SearchRequest {
  const base = searchRequest(index, line, flags);
  if (!line.trimStart().startsWith('{')) return base;
  try {
    const { query: _, ...rest } = base;
    return { ...rest, ...(JSON.parse(line) as SearchRequest) };
  } catch (cause) {
    throw new LhsError('invalid_argument', `${place}: not a JSON search request`, { cause });
  }
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
