import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceTable } from '@lakehouse-search/lake';
import { expect } from 'vitest';
import { checkIndex } from '../../../../../test/support/check-index.ts';
import { expectVectors } from '../../../../../test/support/expect-vectors.ts';
import { type IndexSnapshot, openSnapshot } from '../../../src/index/index-snapshot.ts';
import { openLocalDirectory } from '../../../src/storage/local-directory.ts';
import type { FollowedIndex } from './followed-index.ts';
import type { ModelRow, Rows } from './model-table.ts';

/**
 * The index holds exactly these rows: by export, by searches, by its own count; it is sound in
 * itself; and where the table still has the snapshot `id`, its rows lie where the table's do.
 */
export async function expectRows(
  index: FollowedIndex,
  rows: Rows,
  at: SourceTable | null,
  id: string | null,
): Promise<void> {
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
  await expectSound(index, rows, at, id);
}

function fieldsOf({ title, n, kind }: ModelRow): Record<string, unknown> {
  return { title, ...(n === null ? {} : { n }), ...(kind === null ? {} : { kind }) };
}

/**
 * Nothing is wrong in the index itself; its vectors are those of the rows' texts; its rows lie
 * where the table's do, at a snapshot.
 */
async function expectSound(
  index: FollowedIndex,
  rows: Rows,
  at: SourceTable | null,
  id: string | null,
): Promise<void> {
  const snapshot = openIndexSnapshot(index);
  try {
    expect(checkIndex(snapshot)).toEqual([]);
    const texts = [...rows].map(([key, { title, kind }]) => {
      return [String(key), kind === null ? title : `${title}\n${kind}`] as const;
    });
    expectVectors(snapshot, 'meaning', new Map(texts));
    const kinds = [...rows].map(([key, { kind }]) => [String(key), kind] as const);
    expectVectors(snapshot, 'sort', new Map(kinds));
    if (at !== null) expect(placesOf(snapshot)).toEqual(await rowPlaces(at, id));
  } finally {
    snapshot.release();
  }
}

function openIndexSnapshot({ dataDir }: FollowedIndex): IndexSnapshot {
  const [uuid] = readdirSync(join(dataDir, 'indexes'));
  const folder = join(dataDir, 'indexes', uuid);
  const current = readFileSync(join(folder, 'CURRENT'), 'utf8').trim();
  return openSnapshot(openLocalDirectory(join(folder, current)));
}

function placesOf({ segments, files }: IndexSnapshot): readonly string[] {
  const places: string[] = [];
  for (const segment of segments) {
    for (let doc = 0; doc < segment.docs; doc++) {
      if (segment.isDeleted(doc)) continue;
      places.push(`${files.at(segment.locators.file(doc)).path} ${segment.locators.position(doc)}`);
    }
  }
  return places.sort();
}

async function rowPlaces(table: SourceTable, id: string | null): Promise<readonly string[]> {
  const places: string[] = [];
  if (id === null) return places;
  for await (const { file, positions } of table.scan({ snapshotId: BigInt(id), columns: ['id'] })) {
    for (const position of positions) places.push(`${file} ${position}`);
  }
  return places.sort();
}
