import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalBackend, openLocal } from '@lakehouse-search/engine';
import { appendRows, createTable, deleteRows, type Schema } from '@lakehouse-search/lake';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    { id: 1, name: 'id', required: true, type: { kind: 'long' } },
    { id: 2, name: 'text', required: true, type: { kind: 'string' } },
  ],
};

let folder = '';
let backend: LocalBackend;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-duplicates-'));
  backend = await openLocal(join(folder, 'data'));
  await createTable(source().catalog, source().table, { schema: SCHEMA });
});
afterEach(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

const source = () => {
  return {
    catalog: { type: 'filesystem', warehouse: join(folder, 'lake') },
    table: 'a.t',
  } as const;
};
const append = (...rows: readonly { id: number; text: string }[]) =>
  appendRows(source(), { kind: 'rows', rows });
const remove = (text: string) => deleteRows(source(), `text = '${text}'`);

async function build(): Promise<void> {
  const catalog = JSON.stringify(source().catalog);
  await backend.createIndex({
    definition: `version: 1
index: t
source: { catalog: ${catalog}, table: a.t }
key: { identifier: [id] }
on_duplicate_key: last
fields:
  - { name: text, type: KEYWORD, cached: true }
`,
  });
  await backend.reindex({});
}

async function texts(): Promise<unknown[]> {
  return (await Array.fromAsync(backend.exportDocuments({}))).map(({ fields }) => fields.text);
}

test('where rows were dropped only appends are followed; a reindex settles the rest', async () => {
  await append({ id: 1, text: 'old' }, { id: 2, text: 'two' });
  await append({ id: 1, text: 'new' });
  await build();
  expect(await texts()).toEqual(['new', 'two']);
  await append({ id: 2, text: 'second' });
  expect(await backend.sync({})).toMatchObject({ inserted: 1, dropped_duplicates: 1 });
  expect(await texts()).toEqual(['new', 'second']);
  await remove('old');
  await expect(backend.sync({})).rejects.toMatchObject({
    code: 'source_invalid',
    message: expect.stringContaining('2 rows of the table share their key'),
    hint: expect.stringContaining('lhs index reindex t'),
  });
  expect(await texts()).toEqual(['new', 'second']);
  await remove('second');
  await backend.reindex({});
  expect(await texts()).toEqual(['new', 'two']);
  await remove('two');
  await backend.sync({});
  expect(await texts()).toEqual(['new']);
});
