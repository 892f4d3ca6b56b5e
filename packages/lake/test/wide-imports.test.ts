// @module-tag campaign
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { importFiles, openTable } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-wide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;

describe('wide inputs', () => {
  it.each(byEffort(['csv'], ['csv', 'ndjson', 'parquet']))(
    'of 5,000 columns are imported from %s',
    async (ending) => {
      const row = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`c${i}`, `v${i}`]));
      const names = Object.keys(row);
      const path = join(folder, `wide.${ending}`);
      if (ending === 'csv') {
        const lines = [names, ...Array.from({ length: 20 }, () => Object.values(row))];
        writeFileSync(path, lines.map((cells) => `${cells.join(',')}\n`).join(''));
      } else if (ending === 'ndjson') {
        writeFileSync(path, `${JSON.stringify(row)}\n`.repeat(20));
      } else {
        const connection = await (await DuckDBInstance.create(':memory:')).connect();
        const columns = names.map((name, i) => `'v${i}' AS ${name}`).join(', ');
        await connection.run(
          `COPY (SELECT ${columns} FROM range(20)) TO '${path}' (FORMAT parquet)`,
        );
      }
      const table = `w.${ending}`;
      expect(await importFiles({ catalog, table, files: [path] })).toMatchObject({ inserted: 20 });
      const source = await openTable({ catalog, table });
      expect(source.schema.fields).toHaveLength(5000);
      await source.close();
    },
  );
});
