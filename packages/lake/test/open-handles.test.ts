import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFilesBelow } from '../../../test/support/open-files.ts';
import { openTable, type SourceTable } from '../src/index.ts';
import type { Field } from '../src/schema/type.ts';
import { CraftedTable } from './crafted-table.ts';

const ID: Field = { id: 1, name: 'id', required: true, type: { kind: 'long' } };
const FILES = 12;
let folder: string;
let table: CraftedTable;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lake-handles-'));
  table = new CraftedTable(folder, 'h.t');
  await table.create([ID]);
  for (let i = 0; i < FILES; i++) {
    await table.addParquet([{ field: ID, runs: [[BigInt(i * 10), 10]] }]);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Files of the table that this process has open. */
const openFiles = (): string[] => openFilesBelow(folder);

async function rowOfEachFile(source: SourceTable) {
  const { files } = await source.files(source.currentSnapshotId);
  return files.map(({ data }) => ({ file: data.path, position: 3 }));
}

describe.skipIf(process.platform !== 'linux')('closing a table', () => {
  it('leaves no file open, whatever goes on: all have ended when it is done', async () => {
    for (let turns = 0; turns < 20; turns++) {
      const source = await openTable(table.config);
      const at = await rowOfEachFile(source);
      const reads = [
        source.lookup(at, ['id']),
        source.lookupKeys(['id'], [[3n], [113n]], ['id']),
        Array.fromAsync(source.scan()),
      ];
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      await source.close();
      const atClose = openFiles();
      const [rows, found] = await Promise.all(reads);
      expect(rows.map((row) => Number((row as { id: bigint }).id)).sort((a, b) => a - b)).toEqual(
        Array.from({ length: FILES }, (_, i) => i * 10 + 3),
      );
      expect(found).toHaveLength(2);
      expect(openFiles()).toEqual([]);
      expect(atClose.length).toBeLessThanOrEqual(FILES);
    }
  });

  it('lets its newer version read on', async () => {
    const source = await openTable(table.config);
    await source.lookup(await rowOfEachFile(source), ['id']);
    await table.addParquet([{ field: ID, runs: [[500n, 10]] }]);
    const newer = await source.refresh();
    await source.close();
    expect(openFiles()).toEqual([]);
    const rows = await newer.lookup(await rowOfEachFile(newer), ['id']);
    expect(rows).toContainEqual({ id: 503n });
    await newer.close();
    expect(openFiles()).toEqual([]);
  });
});
