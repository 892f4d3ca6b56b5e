import files, { mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatJson } from '../src/base/json.ts';

import {
  createInCatalog,
  type FileCatalogConfig,
  newTableLocation,
} from '../src/catalog/create-table.ts';
import { loadTable } from '../src/catalog/load-table.ts';
import type { TableHandle } from '../src/catalog/table-handle.ts';
import { metadataJson } from './metadata-json.ts';

/** Every file that the lake opens, reads or lists, in order. */
const touched: string[] = [];
const { open, readFile, readdir } = files;
const noted =
  <T extends (...args: never[]) => unknown>(work: T) =>
  (...args: Parameters<T>) => {
    touched.push(String(args[0]));
    return work(...args);
  };
/** Replaces the exports of node:fs/promises, also where they are imported already. */
function replaceFiles(exports: object): void {
  Object.assign(files, exports);
  syncBuiltinESMExports();
}
beforeAll(() => {
  const list = noted(readdir as (path: string) => Promise<string[]>);
  replaceFiles({ open: noted(open), readFile: noted(readFile), readdir: list });
});
afterAll(() => replaceFiles({ open, readFile, readdir }));

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lake-refresh-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const warehouse = () => join(root, 'wh');
const filesystem = (): FileCatalogConfig => ({ type: 'filesystem', warehouse: warehouse() });
const catalogs: readonly (readonly [string, () => FileCatalogConfig, readonly string[]])[] = [
  ['filesystem', filesystem, ['version-hint.text']],
  ['sql', () => ({ type: 'sql', uri: `sqlite:///${root}/c.db`, warehouse: warehouse() }), []],
];

const marked = (mark: string, location: string) =>
  formatJson(metadataJson({ location, properties: { mark } }));
const create = async (catalog: FileCatalogConfig, mark = 'first') =>
  createInCatalog(catalog, 'ns.t', marked(mark, await newTableLocation(catalog, 'ns.t')));
const commit = (table: TableHandle, mark: string) =>
  table.commit!.commitMetadata(marked(mark, table.metadata.location));
const markOf = (table: TableHandle) => table.metadata.properties.mark;

describe.each(catalogs)('looking again at a table of a %s catalog', (_kind, catalog, pointer) => {
  it('touches the pointer alone while nothing changes', async () => {
    const table = await create(catalog());
    touched.length = 0;
    for (let look = 0; look < 3; look++) expect(await table.refresh()).toBe(table);
    const own = touched.filter((path) => path.startsWith(root));
    const read = new Set(own.map((path) => path.slice(path.lastIndexOf('/') + 1)));
    expect([...read]).toEqual(pointer);
  });

  it('sees every commit of another, and is at rest again after it', async () => {
    let table = await create(catalog());
    let writer = await loadTable({ catalog: catalog(), table: 'ns.t' });
    for (const mark of ['a', 'b', 'c']) {
      writer = await commit(writer, mark);
      table = await table.refresh();
      expect(markOf(table)).toBe(mark);
      expect(await table.refresh()).toBe(table);
    }
    for (const mark of ['d', 'e', 'f']) writer = await commit(writer, mark);
    expect(markOf(await table.refresh())).toBe('f');
  });
});

describe('looking again at a folder', () => {
  it('sees a version whose writer died before it moved the hint, then the hint alone', async () => {
    const table = await create(filesystem());
    const hint = join(dirname(table.metadata.file), 'version-hint.text');
    await commit(table, 'second');
    await writeFile(hint, '1');
    const second = await table.refresh();
    expect(markOf(second)).toBe('second');
    await writeFile(hint, '2');
    expect(await second.refresh()).toBe(second);
    touched.length = 0;
    expect(await second.refresh()).toBe(second);
    expect(touched.every((path) => path === hint)).toBe(true);
  });

  it('sees a table that was dropped and made again under the same name', async () => {
    const table = await create(filesystem());
    await rm(dirname(dirname(table.metadata.file)), { recursive: true });
    await create(filesystem(), 'another');
    expect(markOf(await table.refresh())).toBe('another');
  });

  it('lists where there is no hint, and takes the greatest number', async () => {
    const table = await create(filesystem());
    const folder = dirname(table.metadata.file);
    await unlink(join(folder, 'version-hint.text'));
    expect(await table.refresh()).toBe(table);
    await writeFile(join(folder, 'v2.metadata.json'), marked('two', table.metadata.location));
    expect(markOf(await table.refresh())).toBe('two');
  });

  it('tells a warehouse that is away from a table that is gone', async () => {
    const table = await create(filesystem());
    await rename(warehouse(), join(root, 'away'));
    await expect(table.refresh()).rejects.toHaveProperty('reason', 'catalog_unreachable');
    await rename(join(root, 'away'), warehouse());
    expect(await table.refresh()).toBe(table);
    await rm(join(warehouse(), 'ns'), { recursive: true });
    await expect(table.refresh()).rejects.toHaveProperty('reason', 'table_not_found');
  });
});
