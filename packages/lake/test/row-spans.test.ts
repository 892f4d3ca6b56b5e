import { readdirSync } from 'node:fs';
import { openTable } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { hasShared, tablePath } from '../../../test/support/shared-tables.ts';
import { valueAt } from '../src/scan/vectors.ts';

const TABLES = new URL('../../../fixtures/tables/', import.meta.url).pathname;
const paths = readdirSync(TABLES).map((name) => [name, `${TABLES}${name}`] as const);
const others = ['rowgroups_small', 'journal_dv', 'inbox_eq', 'events_variant_shredded'];
const all = [
  ...paths.filter(([name]) => !name.includes('avro')),
  ...(hasShared ? others.map((name) => [name, tablePath(name)] as const) : []),
];

describe('spans of rows of a data file', () => {
  it.each(all)('have together the live rows of the file: %s', async (_, path) => {
    await using table = await openTable({ path });
    const columns = table.schema.fields.map(({ name }) => name);
    const { files } = await table.files(table.currentSnapshotId);
    const rowsOf = async (scan: (typeof files)[number], span?: readonly [number, number]) => {
      const rows: unknown[] = [];
      for await (const batch of table.read([{ scan, only: null, span }], { columns })) {
        for (let row = 0; row < batch.rows; row++)
          rows.push([batch.positions[row], ...batch.columns.map((one) => valueAt(one, row))]);
      }
      return rows;
    };
    for (const scan of files.filter(({ data }) => data.format === 'parquet').slice(0, 4)) {
      const { recordCount: to } = scan.data;
      const expected = await rowsOf(scan);
      const cut = Math.floor(to / 3);
      const parts = [await rowsOf(scan, [0, cut]), await rowsOf(scan, [cut, to])];
      expect(parts.flat()).toEqual(expected);
      const groups = await table.rowGroups(scan);
      expect(groups.flat()).toEqual([0, ...groups.slice(1).flatMap(([at]) => [at, at]), to]);
      const grouped = [];
      for (const group of groups) grouped.push(...(await rowsOf(scan, group)));
      expect(grouped).toEqual(expected);
    }
  });
});
