import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TableConfig } from '../src/source-table.ts';
import { openTable } from '../src/table.ts';
import { appendToTable, deleteFromTable, writeTable } from '../src/write/table-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-lengths-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const catalog = { type: 'filesystem' as const, warehouse: folder };
const fields = [{ id: 1, name: 'id', required: true, type: { kind: 'long' as const } }];
const ids = (from: number) => ({
  kind: 'rows' as const,
  rows: Array.from({ length: 5 }, (_, i) => ({ id: from + i })),
});

/** A table of two data files, one with a position delete file; the real paths of all three. */
async function make(name: string) {
  const config: TableConfig = { catalog, table: `t.${name}` };
  const schema = { schemaId: 0, identifierFieldIds: [1], fields };
  await writeTable(catalog, config.table, { schema, formatVersion: 2 });
  await appendToTable(config, ids(0));
  await appendToTable(config, ids(10));
  await deleteFromTable(config, 'id = 3');
  const table = await openTable(config);
  const { files } = await table.files(table.currentSnapshotId);
  await table.close();
  const paths = files.flatMap(({ data, deletes }) => [data.path, ...deletes.map((d) => d.path)]);
  return { config, paths };
}

/** Puts bytes between the pages and the footer: another length, and a footer that is whole. */
function lengthen(path: string): void {
  const bytes = readFileSync(path);
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  const parts = [bytes.subarray(0, footer), Buffer.alloc(99), bytes.subarray(footer)];
  writeFileSync(path, Buffer.concat(parts));
}

async function read(config: TableConfig): Promise<readonly unknown[]> {
  const table = await openTable(config);
  const found: unknown[] = [];
  for await (const batch of table.scan()) {
    const locators = Array.from(batch.positions, (position) => ({ file: batch.file, position }));
    const rows = await table.lookup(locators, ['id']);
    found.push(...rows.map((row) => Number(row?.id)));
  }
  await table.close();
  return found.sort((a, b) => Number(a) - Number(b));
}

async function warningsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const warnings: string[] = [];
  const note = ({ name, message }: Error) => {
    if (name === 'LhsWarning') warnings.push(`${name}: ${message}`);
  };
  process.on('warning', note);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  return warnings;
}

describe('files whose length is not what their manifest says', () => {
  it('are read if their footer and their rows agree, with one warning per table', async () => {
    const { config, paths } = await make('long');
    expect(paths).toHaveLength(3);
    for (const path of paths) lengthen(path);
    const warnings = await warningsOf(async () => {
      for (let round = 0; round < 2; round++) {
        expect(await read(config)).toEqual([0, 1, 2, 4, 10, 11, 12, 13, 14]);
      }
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^LhsWarning: table ".*long": (data|delete) file ".*\.parquet" has/,
    );
  });

  it('are refused without a whole footer', async () => {
    const { config, paths } = await make('cut');
    writeFileSync(paths[0], readFileSync(paths[0]).subarray(0, -20));
    await expect(read(config)).rejects.toMatchObject({ reason: 'data_file_invalid' });
  });

  it('are refused with other rows', async () => {
    const { config, paths } = await make('other');
    const other = await make('rows');
    await appendToTable(other.config, { kind: 'rows', rows: [{ id: 1 }] });
    const table = await openTable(other.config);
    const { files } = await table.files(table.currentSnapshotId);
    await table.close();
    const single = files.find(({ data }) => data.recordCount === 1)?.data.path as string;
    writeFileSync(paths[0], readFileSync(single));
    await expect(read(config)).rejects.toThrow(/has 1 rows, its manifest says 5/);
  });
});
