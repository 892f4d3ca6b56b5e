import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeColumns } from '../../../test/support/maintenance/index.ts';
import { appendRows, createTable, type Locator, openTable } from '../src/index.ts';
import type { Field } from '../src/schema/type.ts';
import { CraftedTable } from './crafted-table.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lake-kept-rows-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const ID: Field = { id: 1, name: 'id', required: true, type: { kind: 'long' } };
const TEXT: Field = { id: 2, name: 't', required: true, type: { kind: 'string' } };

describe('cached rows of a look-up', () => {
  it('cost no read where their pages are far beyond the page cache', async () => {
    const table = new CraftedTable(folder, 'k.large');
    await table.create([ID, TEXT]);
    const texts = Array.from({ length: 20 }, (_, i) =>
      String(i).padStart(7, '0').repeat(1_000_000),
    );
    // the newest file comes first
    for (const first of [100n, 0n]) {
      await table.addParquet([
        { field: ID, runs: [[first, 40]] },
        {
          field: TEXT,
          runs: texts.flatMap(
            (text) =>
              [
                [text, 1],
                ['short', 1],
              ] as const,
          ),
          plain: true,
        },
      ]);
    }
    const source = await openTable(table.config);
    const { files } = await source.files(source.currentSnapshotId);
    const at: Locator[] = files.flatMap(({ data }) =>
      [3, 1, 39].map((position) => ({ file: data.path, position })),
    );
    const expected = files.flatMap((_, file) =>
      [3n, 1n, 39n].map((position) => ({ id: position + BigInt(file * 100), t: 'short' })),
    );
    const cost = { bytes: 0, requests: 0 };
    expect(await source.lookup(at, ['id', 't'], { cost })).toEqual(expected);
    const read = cost.requests;
    expect(read).toBeGreaterThan(0);
    expect(await source.lookup(at, ['id', 't'], { cost })).toEqual(expected);
    const twice = await source.lookup([...at, ...at.toReversed()], ['id', 't'], { cost });
    expect(twice).toEqual([...expected, ...expected.toReversed()]);
    expect(cost.requests).toBe(read);
    const others = await source.lookup(at.toReversed(), ['t', 'id'], { cost });
    expect(others).toEqual(expected.toReversed());
    await source.close();
  });

  it('have the type that their column has now', async () => {
    const catalog = { type: 'filesystem', warehouse: folder } as const;
    const config = { catalog, table: 'k.widened' };
    const int: Field = { id: 2, name: 'n', required: false, type: { kind: 'int' } };
    await createTable(catalog, config.table, {
      schema: { schemaId: 0, identifierFieldIds: [], fields: [ID, int] },
    });
    await appendRows(config, { kind: 'rows', rows: [{ id: 1, n: 7 }] });
    const before = await openTable(config);
    const { files } = await before.files(before.currentSnapshotId);
    const at = [{ file: files[0].data.path, position: 0 }];
    expect(await before.lookup(at, ['n'])).toEqual([{ n: 7 }]);
    await changeColumns(config, { kind: 'widen', name: 'n', type: { kind: 'long' } });
    const after = await before.refresh();
    expect(await after.lookup(at, ['n'])).toEqual([{ n: 7n }]);
    expect(await before.lookup(at, ['n'])).toEqual([{ n: 7 }]);
    await after.close();
  });
});
