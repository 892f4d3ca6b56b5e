import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  cherryPick,
  compactTable,
  deleteKeys,
  expireSnapshots,
  setProperties,
  setRef,
} from '../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../test/support/schema.ts';
import { valueAt } from '../src/scan/vectors.ts';
import { openTable } from '../src/table.ts';
import { appendToTable, writeTable } from '../src/write/table-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-maintain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem', warehouse: folder } as const;
const schema = schemaOf({ id: 'int' });

const append = async (table: string, branch: string, ...ids: number[]) => {
  const rows = ids.map((id) => ({ id }));
  return BigInt(
    (await appendToTable({ catalog, table }, { kind: 'rows', rows }, branch)).snapshot!,
  );
};

async function idsOf(table: string, snapshotId?: bigint): Promise<number[]> {
  const source = await openTable({ catalog, table });
  const ids: number[] = [];
  for await (const batch of source.scan({ snapshotId })) {
    for (let i = 0; i < batch.rows; i++) ids.push(valueAt(batch.columns[0], i) as number);
  }
  await source.close();
  return ids.sort((a, b) => a - b);
}

describe('table maintenance', () => {
  it.each([1, 2, 3] as const)(
    'format %i: expiry that deletes files leaves those that snapshots need',
    async (formatVersion) => {
      const config = { catalog, table: `e.v${formatVersion}` };
      const properties = { 'write.delete.mode': 'copy-on-write' };
      await writeTable(catalog, config.table, { schema, formatVersion, properties });
      const first = await append(config.table, 'main', 1, 2, 3);
      await append(config.table, 'main', 4, 5, 6);
      await setRef(config, 'keep', 'tag', first);
      if (formatVersion > 1) await setProperties(config, { 'write.delete.mode': null });
      await deleteKeys(config, [{ id: 1 }]);
      await deleteKeys(config, [{ id: 5 }]);
      await compactTable(config);
      const files = () => readdirSync(join(folder, 'e', `v${formatVersion}`, 'data')).sort();
      const before = files();
      expect(await expireSnapshots(config, Date.now() + 1000, { deleteFiles: true })).toHaveLength(
        3,
      );
      const after = files();
      expect(after).toHaveLength(2);
      expect(before).toEqual(expect.arrayContaining(after));
      const lists = readdirSync(join(folder, 'e', `v${formatVersion}`, 'metadata'));
      expect(lists.filter((name) => name.startsWith('snap-'))).toHaveLength(2);
      expect(await idsOf(config.table)).toEqual([2, 3, 4, 6]);
      expect(await idsOf(config.table, first)).toEqual([1, 2, 3]);
      await append(config.table, 'main', 7);
      expect(await idsOf(config.table)).toEqual([2, 3, 4, 6, 7]);
    },
  );

  it.each([2, 3] as const)('format %i: picks an append of a branch', async (formatVersion) => {
    const config = { catalog, table: `c.v${formatVersion}` };
    await writeTable(catalog, config.table, { schema, formatVersion });
    const base = await append(config.table, 'main', 1, 2);
    await setRef(config, 'draft', 'branch', base);
    const ahead = await append(config.table, 'draft', 3);
    expect(await cherryPick(config, ahead)).toBe(ahead);
    await setRef(config, 'main', 'branch', base);
    await append(config.table, 'main', 4);
    const second = await append(config.table, 'draft', 5, 6);
    const head = await cherryPick(config, second);
    expect(head).not.toBe(second);
    expect(await idsOf(config.table)).toEqual([1, 2, 4, 5, 6]);
    expect(await idsOf(config.table, second)).toEqual([1, 2, 3, 5, 6]);
    await expect(cherryPick(config, head)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(cherryPick(config, 17n)).rejects.toMatchObject({ reason: 'snapshot_not_found' });
    const gone = await deleteKeys(config, [{ id: 1 }]);
    await setRef(config, 'main', 'branch', base);
    await append(config.table, 'main', 9);
    await expect(cherryPick(config, BigInt(gone.snapshot!))).rejects.toMatchObject({
      code: 'unsupported',
    });
  });
});
