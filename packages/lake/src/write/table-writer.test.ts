import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  changeColumns,
  expireSnapshots,
  setRef,
} from '../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { valueAt } from '../scan/vectors.ts';
import { valueToJson } from '../schema/value-json.ts';
import type { CatalogConfig } from '../source-table.ts';
import { openTable } from '../table.ts';
import { importIntoTable } from './import/import-files.ts';
import {
  appendToTable,
  changeTableRows,
  deleteFromTable,
  overwriteRows,
  upsertIntoTable,
  writeTable,
} from './table-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-writer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = schemaOf({
  id: 'long',
  name: 'string',
  price: 'double',
  at: 'timestamp',
  tags: { kind: 'list', elementId: 6, elementRequired: false, element: { kind: 'string' } },
});

const row = (id: number, name: string | null = `n${id}`) => ({
  id,
  name,
  price: id / 4,
  at: `2025-01-0${1 + (id % 9)}T00:00:00.000001`,
  tags: id % 2 ? ['odd', `t${id}`] : null,
});
const rows = (from: number, to: number) => ({
  kind: 'rows' as const,
  rows: Array.from({ length: to - from }, (_, i) => row(from + i)),
});

async function read(config: { catalog: CatalogConfig; table: string }, snapshotId?: bigint) {
  const table = await openTable(config);
  const out: Record<string, unknown>[] = [];
  const fields = table.schema.fields;
  for await (const batch of table.scan({ snapshotId })) {
    for (let i = 0; i < batch.rows; i++) {
      out.push(
        Object.fromEntries(
          fields.map((f, c) => [f.name, valueToJson(f.type, valueAt(batch.columns[c], i))]),
        ),
      );
    }
  }
  await table.close();
  return out.sort((a, b) => Number(a.id) - Number(b.id));
}

const catalogs: [string, CatalogConfig][] = [
  ['filesystem', { type: 'filesystem', warehouse: join(folder, 'fs') }],
  [
    'sql',
    { type: 'sql', uri: `sqlite:///${join(folder, 'catalog.db')}`, warehouse: join(folder, 'sql') },
  ],
];

describe.each(catalogs)('a table in the %s catalog', (_, catalog) => {
  it.each([2, 3] as const)('lives through a whole history in format %i', async (formatVersion) => {
    const config = { catalog, table: `ns.whole${formatVersion}` };
    await writeTable(catalog, config.table, { schema, formatVersion });
    expect(await read(config)).toEqual([]);
    const first = await appendToTable(config, rows(0, 100));
    expect(first).toMatchObject({ inserted: 100 });
    expect((await read(config)).map((r) => r.id)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect((await read(config))[3]).toEqual({
      id: 3,
      name: 'n3',
      price: 0.75,
      at: '2025-01-04T00:00:00.000001',
      tags: ['odd', 't3'],
    });

    expect(await deleteFromTable(config, 'id % 10 = 0')).toMatchObject({ deleted: 10 });
    expect(await deleteFromTable(config, 'id = 1 OR id = 2')).toMatchObject({ deleted: 2 });
    expect(await deleteFromTable(config, 'id = 10')).toMatchObject({
      deleted: 0,
      snapshot: null,
    });
    expect(await read(config)).toHaveLength(88);

    const up = await upsertIntoTable(config, {
      kind: 'rows',
      rows: [row(3, 'three'), row(1, 'back'), row(200, null)],
    });
    expect(up).toMatchObject({ inserted: 2, updated: 1 });
    const now = await read(config);
    expect(now).toHaveLength(90);
    expect(now.find((r) => r.id === 3)?.name).toBe('three');
    expect(now.find((r) => r.id === 200)?.name).toBeNull();

    expect(await read(config, BigInt(first.snapshot!))).toHaveLength(100);
    await changeColumns(config, { kind: 'add', name: 'note', type: { kind: 'string' } });
    await changeColumns(config, { kind: 'rename', from: 'name', to: 'title' });
    await changeColumns(config, { kind: 'drop', name: 'tags' });
    expect(Object.keys((await read(config))[0])).toEqual(['id', 'title', 'price', 'at', 'note']);
    await setRef(config, 'v1', 'tag', BigInt(first.snapshot!));
    const expired = await expireSnapshots(config, Date.now() + 1000);
    expect(expired).toHaveLength(2);
    const over = await overwriteRows(config, { kind: 'rows', rows: [{ id: 7, title: 'only' }] });
    expect(over.inserted).toBe(1);
    expect((await read(config)).map((r) => [r.id, r.title])).toEqual([[7, 'only']]);
  });

  it('lets two writers commit at once: the slower one retries', async () => {
    const config = { catalog, table: 'ns.race' };
    await writeTable(catalog, config.table, { schema });
    await Promise.all(
      Array.from({ length: 4 }, (_, i) => appendToTable(config, rows(i * 10, i * 10 + 10))),
    );
    expect(await read(config)).toHaveLength(40);
  });

  it('puts rows into partitions and deletes across them', async () => {
    const config = { catalog, table: 'ns.parts' };
    const spec = {
      specId: 0,
      fields: [
        { fieldId: 1000, name: 'at_day', sourceIds: [4], transform: { kind: 'day' as const } },
        {
          fieldId: 1001,
          name: 'id_bucket',
          sourceIds: [1],
          transform: { kind: 'bucket' as const, buckets: 4 },
        },
      ],
    };
    await writeTable(catalog, config.table, { schema, spec, formatVersion: 3 });
    await appendToTable(config, rows(0, 60));
    await deleteFromTable(config, 'id >= 50');
    expect((await read(config)).map((r) => r.id)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    const table = await openTable(config);
    const { files } = await table.files(table.currentSnapshotId);
    expect(files.length).toBeGreaterThan(20);
    await table.close();
  });

  it('refuses what does not fit, and leaves the table as it was', async () => {
    const config = { catalog, table: 'ns.refusals' };
    await writeTable(catalog, config.table, { schema });
    await appendToTable(config, rows(0, 3));
    await expect(
      appendToTable(config, { kind: 'rows', rows: [{ id: null, name: 'x' }] }),
    ).rejects.toThrow('required column "id"');
    await expect(
      appendToTable(config, { kind: 'rows', rows: [{ id: 9, nam: 'x' }] }),
    ).rejects.toThrow('no column "nam"');
    await expect(upsertIntoTable(config, { kind: 'rows', rows: [row(1), row(1)] })).rejects.toThrow(
      'twice',
    );
    await expect(deleteFromTable(config, 'no_such = 1')).rejects.toThrow(/no_such/);
    await expect(writeTable(catalog, config.table, { schema })).rejects.toMatchObject({
      reason: 'table_exists',
    });
    expect(await read(config)).toHaveLength(3);
  });
});

describe('an import of files', () => {
  it('infers the schema and makes keys identifier fields', async () => {
    const { writeFileSync } = await import('node:fs');
    const csv = join(folder, 'in.csv');
    writeFileSync(csv, 'id,name,when\n1,a,2025-01-01 10:00:00\n2,"b, c",\n');
    const catalog: CatalogConfig = { type: 'filesystem', warehouse: join(folder, 'imports') };
    const done = await importIntoTable({ catalog, table: 'my.events', files: [csv], key: ['id'] });
    expect(done.inserted).toBe(2);
    const table = await openTable({ catalog, table: 'my.events' });
    expect(table.schema.identifierFieldIds).toEqual([1]);
    expect(table.schema.fields.map((f) => f.type.kind)).toEqual(['long', 'string', 'timestamp']);
    await table.close();
    expect(await read({ catalog, table: 'my.events' })).toEqual([
      { id: 1, name: 'a', when: '2025-01-01T10:00:00.000000' },
      { id: 2, name: 'b, c', when: null },
    ]);
    await expect(
      importIntoTable({ catalog, table: 'my.events', files: [csv] }),
    ).rejects.toMatchObject({
      reason: 'table_exists',
    });
    await importIntoTable({
      catalog,
      table: 'my.events',
      files: [csv],
      mode: 'append',
      allowDuplicateKeys: true,
    });
    expect(await read({ catalog, table: 'my.events' })).toHaveLength(4);
  });
});

describe('changes by key', () => {
  const catalog: CatalogConfig = { type: 'filesystem', warehouse: join(folder, 'changes') };

  it.each([2, 3] as const)(
    'upsert and delete in one snapshot, format %i',
    async (formatVersion) => {
      const config = { catalog, table: `ns.keys${formatVersion}` };
      await writeTable(catalog, config.table, { schema, formatVersion });
      const first = await changeTableRows(config, { upserts: rows(0, 10).rows, deletes: [] });
      expect(first).toMatchObject({ inserted: 10, updated: 0, deleted: 0 });
      await appendToTable(config, rows(10, 20));
      const changed = await changeTableRows(config, {
        upserts: [row(3, 'three'), row(30), row(5, 'five')],
        deletes: [{ id: 4 }, { id: 12 }, { id: 999 }, { id: 5 }],
      });
      expect(changed).toMatchObject({ inserted: 1, updated: 2, deleted: 2 });
      const now = await read(config);
      const expected = [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 30];
      expect(now.map(({ id }) => id)).toEqual(expected);
      expect(now.filter(({ id }) => id === 3 || id === 5).map((r) => r.name)).toEqual([
        'three',
        'five',
      ]);
      const gone = await changeTableRows(config, { upserts: [], deletes: [{ id: 0 }, { id: 30 }] });
      expect(gone).toMatchObject({ inserted: 0, updated: 0, deleted: 2 });
      expect((await read(config)).map(({ id }) => id)).toEqual(expected.slice(1, -1));
    },
  );

  it('without effect commit nothing, and values that are no keys are refused', async () => {
    const config = { catalog, table: 'ns.keys2' };
    const nothing = { snapshot: null, inserted: 0, updated: 0, deleted: 0 };
    expect(await changeTableRows(config, { upserts: [], deletes: [] })).toEqual(nothing);
    expect(await changeTableRows(config, { upserts: [], deletes: [{ id: 7777 }] })).toEqual(
      nothing,
    );
    const deleting = (key: Record<string, unknown>) =>
      changeTableRows(config, { upserts: [], deletes: [key] });
    await expect(deleting({ id: 'x' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(deleting({ name: 'n1' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(deleting({})).rejects.toMatchObject({ reason: 'null_key' });
    const twice = changeTableRows(config, { upserts: [], deletes: [{ id: 1 }, { id: 1 }] });
    await expect(twice).rejects.toMatchObject({ reason: 'duplicate_key' });
  });
});
