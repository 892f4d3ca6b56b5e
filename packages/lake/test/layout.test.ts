import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTable } from '../src/index.ts';
import type { Field } from '../src/schema/type.ts';
import { CraftedTable } from './crafted-table.ts';

const PARQUET = fileURLToPath(new URL('../../../fixtures/parquet/', import.meta.url));
const ID: Field = { id: 1, name: 'id', required: true, type: { kind: 'long' } };
const TEXT: Field = { id: 2, name: 't', required: true, type: { kind: 'string' } };
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lake-layout-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the layout of data files', () => {
  it('is read from footers, offset indexes and page headers', async () => {
    const table = new CraftedTable(folder, 'l.two');
    await table.create([ID, TEXT]);
    const columns = [
      { field: ID, runs: [[0n, 5000]] },
      { field: TEXT, runs: [['long '.repeat(1000), 5000]], plain: true },
    ] as const;
    const plain = await table.addParquet(columns);
    const size = readFileSync(plain).length;
    const indexed = readFileSync(`${PARQUET}v1_checksum_index.parquet`);
    await table.addData('parquet', indexed, 10);
    await table.addAvro([{ id: 1n, t: 'no parquet' }]);
    const source = await openTable(table.config);
    const layout = await source.layout(source.currentSnapshotId, 10);
    expect([layout.files, layout.rows, layout.looked.length]).toEqual([3, 5011, 2]);
    const byPath = layout.looked.toSorted((a, b) => b.withoutOffsetIndex - a.withoutOffsetIndex);
    const [without, withIndex] = byPath;
    expect(plain.endsWith(without.path.split('/').at(-1) as string)).toBe(true);
    expect(without).toMatchObject({
      rows: 5000,
      rowGroups: 1,
      groupRows: 5000,
      columns: 2,
      withoutOffsetIndex: 2,
    });
    expect(without.groupBytes).toBeGreaterThan(0.5 * size);
    expect(without.groupBytes).toBeLessThan(size);
    expect(without.rowBytes).toBe(without.groupBytes);
    expect(withIndex.withoutOffsetIndex).toBe(0);
    expect(withIndex.rowBytes).toBeLessThanOrEqual(withIndex.groupBytes);
    const one = await source.layout(source.currentSnapshotId, 1);
    expect([one.files, one.looked.length]).toEqual([3, 1]);
    expect(await source.layout(null, 10)).toEqual({ files: 0, rows: 0, looked: [] });
    await source.close();
  });
});
