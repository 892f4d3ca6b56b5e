import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { changeColumns, compactTable } from '../../../test/support/maintenance/index.ts';
import { valueAt } from '../src/scan/vectors.ts';
import type { Schema } from '../src/schema/type.ts';
import { valueToJson } from '../src/schema/value-json.ts';
import { openTable } from '../src/table.ts';
import {
  appendToTable,
  deleteFromTable,
  upsertIntoTable,
  writeTable,
} from '../src/write/table-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-compact-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem' as const, warehouse: folder };

function schemaOf(version: 2 | 3): Schema {
  const details = { id: 5, name: 'details', required: false, type: { kind: 'variant' as const } };
  return {
    schemaId: 0,
    identifierFieldIds: [1],
    fields: [
      { id: 1, name: 'id', required: true, type: { kind: 'long' } },
      { id: 2, name: 'service', required: false, type: { kind: 'string' } },
      {
        id: 3,
        name: 'tags',
        required: false,
        type: { kind: 'list', elementId: 4, elementRequired: false, element: { kind: 'string' } },
      },
      ...(version === 3 ? [details] : []),
    ],
  };
}

const row = (id: number, version: number) => ({
  id,
  service: ['a', 'b', null][id % 3],
  tags: id % 2 ? ['x', null] : null,
  ...(version === 3 ? { details: { n: id, deep: [1, 'two'] } } : {}),
});

async function read(config: { catalog: typeof catalog; table: string }, lineage: boolean) {
  const table = await openTable(config);
  const { fields } = table.schema;
  const names = [...fields.map((f) => f.name), ...(lineage ? ['_row_id'] : [])];
  const rows: Record<string, unknown>[] = [];
  for await (const batch of table.scan({ columns: names })) {
    for (let i = 0; i < batch.rows; i++) {
      const cells = fields.map((f, c) => [
        f.name,
        valueToJson(f.type, valueAt(batch.columns[c], i)),
      ]);
      const id = lineage ? [['_row_id', String(valueAt(batch.columns[fields.length], i))]] : [];
      rows.push(Object.fromEntries([...cells, ...id]));
    }
  }
  await table.close();
  return rows.sort((a, b) => Number(a.id) - Number(b.id));
}

describe.each([2, 3] as const)('compaction of a format %i table', (version) => {
  const config = { catalog, table: `ns.t${version}` };

  it('changes no row, keeps row ids, and leaves a file a partition', async () => {
    const spec = {
      specId: 0,
      fields: [
        {
          fieldId: 1000,
          name: 'service',
          sourceIds: [2],
          transform: { kind: 'identity' as const },
        },
      ],
    };
    await writeTable(catalog, config.table, {
      schema: schemaOf(version),
      spec,
      formatVersion: version,
    });
    const rows = (from: number, to: number) => ({
      kind: 'rows' as const,
      rows: Array.from({ length: to - from }, (_, i) => row(from + i, version)),
    });
    for (let i = 0; i < 4; i++) await appendToTable(config, rows(i * 10, i * 10 + 10));
    await deleteFromTable(config, 'id % 7 = 3');
    await upsertIntoTable(config, { kind: 'rows', rows: [row(5, version), row(100, version)] });
    await changeColumns(config, { kind: 'rename', from: 'service', to: 'team' });
    await changeColumns(config, { kind: 'add', name: 'note', type: { kind: 'string' } });
    const before = await read(config, version === 3);
    const done = await compactTable(config);
    expect(done).toMatchObject({ filesAfter: 3, rows: before.length });
    expect(done.filesBefore).toBeGreaterThan(10);
    expect(await read(config, version === 3)).toEqual(before);
    const table = await openTable(config);
    expect(table.snapshot(BigInt(done.snapshot!)).operation).toBe('replace');
    const { files } = await table.files(table.currentSnapshotId);
    expect(files.map((f) => f.deletes.length)).toEqual([0, 0, 0]);
    const parent = table.snapshot(BigInt(done.snapshot!)).parentId;
    const changes = [];
    const range = { from: parent, to: BigInt(done.snapshot!) };
    for await (const change of table.rowChanges({ ...range, key: ['id'], columns: ['team'] }))
      changes.push(change);
    expect(changes).toEqual([]);
    await table.close();
  });
});

describe('compaction of an empty table', () => {
  it('has nothing to do in an empty table', async () => {
    await writeTable(catalog, 'ns.empty', { schema: schemaOf(2) });
    expect((await compactTable({ catalog, table: 'ns.empty' })).snapshot).toBeNull();
  });
});
