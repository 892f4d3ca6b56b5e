import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importFiles, openTable } from '../src/index.ts';

/** Folders of tables of other formats, as their layouts say; the Parquet files are real. */
const folder = mkdtempSync(join(tmpdir(), 'lake-foreign-'));
const plain = join(folder, 'plain', 'a.parquet');
const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;

beforeAll(async () => {
  mkdirSync(dirname(plain));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`COPY (SELECT 1 AS id) TO '${plain}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
});
afterAll(() => rmSync(folder, { recursive: true }));

function tableFolder(name: string, log: string, inner: string): string {
  const file = join(folder, name, inner, 'part-0.parquet');
  mkdirSync(join(folder, name, log), { recursive: true });
  mkdirSync(dirname(file), { recursive: true });
  cpSync(plain, file);
  return file;
}

describe('a table of another format', () => {
  it.each([
    ['Delta', '_delta_log', '.'],
    ['Delta', '_delta_log', 'day=2026-01-01/hour=3'],
    ['Hudi', '.hoodie', '2026/01/01'],
    ['Lance', '_versions', 'data'],
  ])('%s is refused by name, its files and its folder (%s, %s)', async (format, log, inner) => {
    const name = `${format}-${inner.length}`;
    const file = tableFolder(name, log, inner);
    const words = expect.stringMatching(new RegExp(`${format} table.*write its rows to new`));
    const refused = { code: 'unsupported', message: words };
    const imported = importFiles({ catalog, table: 'a.x', files: [plain, file] });
    await expect(imported).rejects.toMatchObject(refused);
    await expect(openTable({ path: join(folder, name) })).rejects.toMatchObject(refused);
    expect(readdirSync(folder)).not.toContain('lake');
  });

  it('is not seen beside plain files, which are imported', async () => {
    const { inserted } = await importFiles({ catalog, table: 'a.t', files: [plain] });
    expect(inserted).toBe(1);
  });

  it('is an Iceberg table whose data files are imported', async () => {
    const data = join(folder, 'lake', 'a', 't', 'data');
    const [name] = readdirSync(data).filter((entry) => entry.endsWith('.parquet'));
    await expect(importFiles({ catalog, table: 'a.u', files: [join(data, name)] })).rejects.toThrow(
      /belongs to the Iceberg table .* read the table itself/,
    );
  });
});

describe('a path without a table', () => {
  it('says what is there, and the way out', async () => {
    const day = join(folder, 'hive', 'day=1');
    mkdirSync(day, { recursive: true });
    for (const [path, words] of [
      [dirname(plain), /has files without a table; import them/],
      [join(folder, 'hive'), /has partition folders without a table; import the files/],
      [plain, /is a Parquet file and no table; import it/],
      [day, /expected "metadata\/v1\.metadata\.json"/],
    ] as const) {
      const failed = openTable({ path });
      await expect(failed).rejects.toMatchObject({ reason: 'table_not_found' });
      await expect(failed).rejects.toThrow(words);
    }
  });
});
