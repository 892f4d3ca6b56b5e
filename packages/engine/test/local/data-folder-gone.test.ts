import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const FIELDS = 'fields:\n  - { name: title, type: TEXT }';

let lake: SmallLake;
let dataDir = '';
beforeEach(async () => {
  lake = await openSmallLake();
  dataDir = join(lake.folder, 'data');
  await lake.create(schema, { rows: [{ id: 1, title: 'first' }] });
  await lake.build(FIELDS);
  await lake.backend.search({ query: 'first' });
});
afterEach(() => lake.close());

const definition = (index: string) =>
  `version: 1\nindex: ${index}\nsource: { catalog: ` +
  `${JSON.stringify(lake.source.catalog)}, table: a.t }\n${FIELDS}\n`;

type Call = (backend: LocalEngine) => Promise<unknown>;
const calls: [string, Call][] = [
  ['reindex', (backend) => backend.reindex({ index: 't' })],
  ['sync', (backend) => backend.sync({ index: 't' })],
  ['compact', (backend) => backend.compact({ index: 't' })],
  ['verify --repair', (backend) => backend.verify({ index: 't', repair: true })],
  ['dropIndex', (backend) => backend.dropIndex({ index: 't' })],
  ['createIndex', (backend) => backend.createIndex({ definition: definition('u') })],
  ['setAlias', (backend) => backend.setAlias({ alias: 'a', index: 't' })],
  ['dropAlias', (backend) => backend.dropAlias({ alias: 'a' })],
  ['createSavedQuery', (backend) => backend.createSavedQuery({ name: 'q', request: {} })],
  ['deleteSavedQuery', (backend) => backend.deleteSavedQuery({ id: 'q' })],
  ['openPit', (backend) => backend.openPit({ index: 't' })],
  ['status', (backend) => backend.status({ index: 't' })],
  ['listIndexes', (backend) => backend.listIndexes()],
  ['follow', (backend) => backend.follow({ index: 't' }).next()],
  ['search', (backend) => backend.search({ index: 't', query: 'first' })],
];

describe('a data folder that is removed while it is open', () => {
  it.each(calls)('%s names it, and makes nothing in its place', async (_, call) => {
    rmSync(dataDir, { recursive: true });
    await expect(call(lake.backend)).rejects.toMatchObject({
      code: 'io_error',
      message: `data folder "${dataDir}": "registry.db" was removed or replaced while it was open`,
    });
    expect(existsSync(dataDir)).toBe(false);
  });

  it('is refused too when another one has come into its place', async () => {
    const copy = `${dataDir}-copy`;
    cpSync(dataDir, copy, { recursive: true });
    rmSync(dataDir, { recursive: true });
    cpSync(copy, dataDir, { recursive: true });
    for (const [name, call] of calls) {
      await expect(call(lake.backend), name).rejects.toMatchObject({ code: 'io_error' });
    }
    const again = await openEngine(dataDir, { create: true, threads: 0 });
    expect(await again.search({ query: 'first' })).toMatchObject({ total: 1 });
    await again.close();
  });

  it('ends the reindex in hand with an error', async () => {
    let removed = false;
    const building = lake.backend.reindex(
      {},
      {
        progress: () => {
          if (!removed) rmSync(dataDir, { recursive: true });
          removed = true;
        },
      },
    );
    await expect(building).rejects.toMatchObject({
      code: 'io_error',
      message: expect.stringContaining(`data folder "${dataDir}"`),
    });
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('the folder of an index that is removed while it is open', () => {
  const remove = () => rmSync(indexFolder(), { recursive: true });
  const indexFolder = () =>
    join(dataDir, 'indexes', readdirSync(join(dataDir, 'indexes')).sort()[0]);

  it('is an index that is not built: it is not synced, and its status says so', async () => {
    remove();
    const missing = { code: 'index_not_built' };
    await expect(lake.backend.sync({})).rejects.toMatchObject(missing);
    await expect(lake.backend.compact({})).rejects.toMatchObject(missing);
    await expect(lake.backend.openPit({})).rejects.toMatchObject(missing);
    await expect(lake.backend.search({})).rejects.toMatchObject(missing);
    expect(await lake.backend.status({})).toMatchObject({ checkpoint: null });
  });

  it('is built again by a reindex', async () => {
    remove();
    expect(await lake.backend.reindex({})).toMatchObject({ doc_count: 1, index_generation: 1 });
    const other = await openEngine(dataDir, { create: true, threads: 0 });
    expect(await other.search({ query: 'first' })).toMatchObject({ total: 1 });
    await other.close();
  });

  it('ends the reindex in hand with an error that names it', async () => {
    let folder = '';
    const building = lake.backend.reindex(
      {},
      {
        progress: () => {
          if (folder !== '') return;
          folder = indexFolder();
          remove();
        },
      },
    );
    await expect(building).rejects.toMatchObject({
      code: 'io_error',
      message: expect.stringContaining(folder),
    });
  });
});
