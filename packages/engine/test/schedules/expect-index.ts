import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkIndex } from '../../src/index/check-index.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import type { FollowedIndex } from './followed-index.ts';
import type { ModelRow, Rows } from './model-table.ts';

/**
 * The index holds exactly these rows: by export, by searches, by its own count; and it is sound in
 * itself.
 */
export async function expectRows(index: FollowedIndex, rows: Rows): Promise<void> {
  const { backend } = index;
  const exported = await Array.fromAsync(backend.exportDocuments({}));
  const documents = exported.map((d) => [d.coordinates.identifier[0].value, d.fields]);
  expect(Object.fromEntries(documents)).toEqual(
    Object.fromEntries([...rows].map(([key, row]) => [String(key), fieldsOf(row)])),
  );
  expect(documents).toHaveLength(rows.size);
  const queries: [string, (row: ModelRow, key: number) => boolean][] = [
    ['title:fig', ({ title }) => title.split(' ').includes('fig')],
    ['title:every AND NOT kind:a', ({ kind }) => kind !== 'a'],
    ['title:"plum plum"', ({ title }) => title.includes('plum plum')],
    ['n:[50 TO 3000000010]', ({ n }) => n !== null && n >= 50 && n <= 3_000_000_010],
  ];
  for (const [query, matches] of queries) {
    const found = await backend.search({ query, limit: 100 });
    const keys = found.hits.map((hit) => Number(hit.coordinates.identifier[0].value));
    const wanted = [...rows].filter(([key, row]) => matches(row, key)).map(([key]) => key);
    expect(
      keys.toSorted((a, b) => a - b),
      query,
    ).toEqual(wanted.toSorted((a, b) => a - b));
    expect(found.total, query).toBe(wanted.length);
  }
  expect(problemsOf(index)).toEqual([]);
}

function fieldsOf({ title, n, kind }: ModelRow): Record<string, unknown> {
  return { title, ...(n === null ? {} : { n }), ...(kind === null ? {} : { kind }) };
}

function problemsOf({ dataDir }: FollowedIndex): readonly string[] {
  const [uuid] = readdirSync(join(dataDir, 'indexes'));
  const folder = join(dataDir, 'indexes', uuid);
  const current = readFileSync(join(folder, 'CURRENT'), 'utf8').trim();
  const snapshot = openSnapshot(openLocalDirectory(join(folder, current)));
  try {
    return checkIndex(snapshot);
  } finally {
    snapshot.release();
  }
}
