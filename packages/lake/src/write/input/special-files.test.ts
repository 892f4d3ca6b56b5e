import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../../test/support/schema.ts';
import { openTable } from '../../table.ts';
import { appendToTable, deleteFromTable, writeTable } from '../table-writer.ts';

/** Tables in which a pipe, a device or a folder stands where a file should be. */
const warehouse = mkdtempSync(join(tmpdir(), 'lhs-special-'));
afterAll(() => rmSync(warehouse, { recursive: true, force: true }));
const catalog = { type: 'filesystem' as const, warehouse };
const schema = schemaOf({ id: 'int' });

let tables = 0;

const FILES: readonly (readonly [string, RegExp])[] = [
  ['the table metadata', /metadata\/v4\.metadata\.json$/],
  ['the version hint', /metadata\/version-hint\.text$/],
  ['a manifest list', /metadata\/snap-.*\.avro$/],
  ['a manifest', /metadata\/(?!snap-)[^/]*\.avro$/],
  ['a data file', /data\/(?!.*-deletes)[^/]*\.parquet$/],
  ['a delete file', /data\/.*-deletes\.(parquet|puffin)$/],
];
const KINDS: readonly (readonly [string, (path: string) => void])[] = [
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  ['a link to /dev/zero', (path) => symlinkSync('/dev/zero', path)],
  ['a folder', (path) => mkdirSync(path)],
];

async function makeTable(name: string, formatVersion: 2 | 3): Promise<string> {
  const config = { catalog, table: `s.${name}` };
  await writeTable(catalog, config.table, { schema, formatVersion });
  await appendToTable(config, { kind: 'rows', rows: [{ id: 1 }, { id: 2 }] });
  await appendToTable(config, { kind: 'rows', rows: [{ id: 3 }] });
  await deleteFromTable(config, 'id = 2');
  return join(warehouse, 's', name);
}

async function readAll(name: string): Promise<number> {
  const table = await openTable({ catalog, table: `s.${name}` });
  let rows = 0;
  try {
    for await (const batch of table.scan()) rows += batch.rows;
  } finally {
    await table.close();
  }
  return rows;
}

describe.each([2, 3] as const)('special files in a table of format %i', (formatVersion) => {
  describe.each(FILES)('with a special file in the place of %s', (_what, pattern) => {
    it.each(KINDS)('is refused by name: %s', async (_kind, put) => {
      const name = `t${++tables}`;
      const folder = await makeTable(name, formatVersion);
      expect(await readAll(name)).toBe(2);
      const paths = readdirSync(folder, { recursive: true })
        .map((path) => join(folder, String(path)))
        .filter((path) => pattern.test(path));
      expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) {
        rmSync(path);
        put(path);
      }
      await expect(readAll(name)).rejects.toMatchObject({
        name: 'LhsError',
        message: expect.stringMatching(new RegExp(`"${folder}/[^"]*"`)),
      });
    });
  });
});
