import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asNobody } from '../../../../test/support/as-nobody.ts';
import type { Schema } from '../schema/type.ts';
import { openTable } from '../table.ts';
import { importIntoTable } from '../write/import/import-files.ts';
import { appendToTable, writeTable } from '../write/table-writer.ts';
import { listTables, loadTable } from './load-table.ts';

const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [{ id: 1, name: 'id', required: false, type: { kind: 'int' } }],
};
let warehouse: string;
beforeEach(() => {
  warehouse = mkdtempSync(join(tmpdir(), 'lhs-permissions-'));
});
afterEach(() => {
  chmodSync(warehouse, 0o755);
  rmSync(warehouse, { recursive: true, force: true });
});

const catalog = () => ({ type: 'filesystem' as const, warehouse });
const make = (name: string) => writeTable(catalog(), name, { schema, formatVersion: 2 });

async function readAll(): Promise<number> {
  const table = await openTable({ catalog: catalog(), table: 'n.t' });
  try {
    let rows = 0;
    for await (const batch of table.scan()) rows += batch.rows;
    return rows;
  } finally {
    await table.close();
  }
}

describe('a warehouse that this user may not read', () => {
  it.each([
    ['the warehouse', ''],
    ['a namespace', 'n'],
    ['the metadata folder', 'n/t/metadata'],
    ['the data folder', 'n/t/data'],
  ])('is refused by name: %s', async (_what, part) => {
    await make('n.t');
    await appendToTable({ catalog: catalog(), table: 'n.t' }, { kind: 'rows', rows: [{ id: 1 }] });
    // loads all modules: another user may lack the right to enter the folders above this clone
    expect(await readAll()).toBe(1);
    const closed = join(warehouse, part);
    chmodSync(warehouse, 0o755);
    chmodSync(closed, 0o000);
    await expect(asNobody(readAll)).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining(closed),
    });
    chmodSync(closed, 0o755);
    expect(await asNobody(readAll)).toBe(1);
  });

  it('is listed without the folders that are closed', async () => {
    await make('n.t');
    mkdirSync(join(warehouse, 'lost+found'), { mode: 0o700 });
    chmodSync(warehouse, 0o755);
    expect((await asNobody(() => listTables(catalog()))).tables).toEqual(['n.t']);
    chmodSync(warehouse, 0o000);
    await expect(asNobody(() => listTables(catalog()))).rejects.toHaveProperty(
      'code',
      'permission_denied',
    );
  });
});

describe('a warehouse that this user may not write', () => {
  it('refuses a new table and new rows by name', async () => {
    await make('n.t');
    chmodSync(warehouse, 0o555);
    const refused = { code: 'permission_denied', message: expect.stringContaining(warehouse) };
    await expect(asNobody(() => make('n2.t'))).rejects.toMatchObject(refused);
    const rows = { kind: 'rows' as const, rows: [{ id: 1 }] };
    const append = () => appendToTable({ catalog: catalog(), table: 'n.t' }, rows);
    for (const folder of ['n/t/data', 'n/t/metadata', 'n/t', 'n']) {
      chmodSync(join(warehouse, folder === 'n/t/data' ? 'n/t' : folder), 0o555);
      await expect(asNobody(append)).rejects.toMatchObject(refused);
    }
  });

  it('refuses an import by name', async () => {
    await make('n.t');
    const file = join(warehouse, 'rows.csv');
    writeFileSync(file, 'id\n1\n');
    mkdirSync(join(warehouse, 'n/t/data'));
    for (const folder of ['n/t/data', '']) chmodSync(join(warehouse, folder), 0o555);
    const options = { catalog: catalog(), table: 'n.t', files: [file], mode: 'append' as const };
    await expect(asNobody(() => importIntoTable(options))).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining(join(warehouse, 'n/t/data')),
    });
  });
});

describe('a warehouse with symbolic links', () => {
  it('lists each table once, by its own name if that lies in the warehouse', async () => {
    await make('e.t');
    await make('z.deep.t');
    const elsewhere = mkdtempSync(join(tmpdir(), 'lhs-linked-'));
    await writeTable({ type: 'filesystem', warehouse: elsewhere }, 'far.t', { schema });
    symlinkSync('..', join(warehouse, 'e/up'));
    symlinkSync(warehouse, join(warehouse, 'z/loop'));
    symlinkSync(join(warehouse, 'z/deep'), join(warehouse, 'a'));
    symlinkSync(join(elsewhere, 'far'), join(warehouse, 'b'));
    symlinkSync(join(elsewhere, 'far'), join(warehouse, 'c'));
    symlinkSync(join(warehouse, 'nowhere'), join(warehouse, 'd'));
    expect((await listTables(catalog())).tables).toEqual(['b.t', 'e.t', 'z.deep.t']);
    const aliased = await loadTable({ catalog: catalog(), table: 'a.t' });
    expect(aliased.name).toBe('a.t');
    rmSync(elsewhere, { recursive: true });
  });
});
