import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@lakehouse-search/lake/internal';

const MOST = 1000;

/** A query that led to something, and its index. */
interface Entry {
  readonly index: string;
  readonly query: string;
}

/** The file of past queries: a JSON object a line, newest last, of the data folder. */
export function historyFile(dataDir: string): string {
  return join(dataDir, 'tui-history.ndjson');
}

/** Past queries of an index, newest first, without repeats. Empty if the file is unreadable. */
export async function readHistory(file: string, index: string): Promise<readonly string[]> {
  const own = (await entries(file)).filter((entry) => entry.index === index);
  return [...new Set(own.map(({ query }) => query).reverse())];
}

/**
 * Adds a query as the newest one and removes earlier copies. The file is replaced by rename, so
 * two screens at once lose at most one line of each other.
 */
export async function addHistory(file: string, index: string, query: string): Promise<void> {
  const others = (await entries(file)).filter((e) => e.index !== index || e.query !== query);
  const lines = [...others, { index, query }].slice(-MOST).map((e) => JSON.stringify(e));
  await makeFolder(dirname(file));
  const temporary = `${file}.${randomUUID()}.tmp`;
  await writeFile(temporary, `${lines.join('\n')}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

async function entries(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      return isEntry(entry) ? [entry] : [];
    } catch {
      return [];
    }
  });
}

function isEntry(value: unknown): value is Entry {
  const { index, query } = (value ?? {}) as Partial<Entry>;
  return typeof index === 'string' && typeof query === 'string';
}
