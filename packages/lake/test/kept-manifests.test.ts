import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { appendRows, createTable } from '../src/index.ts';
import { openTable } from '../src/table.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-manifests-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('refreshing a table', () => {
  it('reads only new manifests', async () => {
    const schema = {
      schemaId: 0,
      identifierFieldIds: [],
      fields: [{ id: 1, name: 'id', required: false, type: { kind: 'int' as const } }],
    };
    const catalog = { type: 'filesystem' as const, warehouse: folder };
    await createTable(catalog, 'a.b', { schema });
    const path = join(folder, 'a/b');
    const append = (id: number) => appendRows({ path }, { kind: 'rows', rows: [{ id }] });
    const manifests = () =>
      readdirSync(join(path, 'metadata')).filter((name) => /-m\d+\.avro$/.test(name));
    await append(1);
    const table = await openTable({ path });
    await table.files(table.currentSnapshotId);
    const known = manifests();
    expect(known).toHaveLength(1);
    await append(2);
    rmSync(join(path, 'metadata', known[0]!));
    const next = await table.refresh();
    const { files } = await next.files(next.currentSnapshotId);
    expect(files).toHaveLength(2);
    const fresh = await openTable({ path });
    await expect(fresh.files(fresh.currentSnapshotId)).rejects.toThrow(known[0]!);
    await next.close();
    await fresh.close();
  });
});
