/** An index whose store is away for good, and how it gets another one. */
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows } from '@lakehouse-search/lake';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake } from '../../../../test/support/small-lake.ts';
import { storeLakes } from './store-lake.ts';

const store = storeLakes();
const add = (id: string) => appendRows(store.lake.source, { kind: 'rows', rows: [{ id }] });

const fieldsIn = (storage: string) => `storage: ${storage}\nfields: [{ name: id, type: KEYWORD }]`;

const definitionIn = (storage: string) =>
  `version: 1\nindex: t\nsource: { catalog: ${JSON.stringify(store.lake.source.catalog)}, ` +
  `table: a.t }\n${fieldsIn(storage)}`;

const AWAYS = {
  'a bucket that is gone': { kind: 'status', status: 404, code: 'NoSuchBucket' },
  'a key that is revoked': { kind: 'status', status: 403, code: 'SignatureDoesNotMatch' },
} as const;

/** How many rows a search finds. */
const rows = async (index = 't') => (await store.lake.backend.search({ index, query: '*' })).total;

describe.each(Object.entries(AWAYS))('an index with %s', (_, fault) => {
  beforeEach(async () => {
    await store.lake.create(schemaOf({ id: 'string' }));
    await store.lake.define(fieldsIn(store.place));
    await add('k0');
    await store.lake.backend.reindex({ index: 't' });
    await add('k1');
  });

  it('goes on in its data folder, and in another store', async () => {
    const { backend, folder } = store.lake;
    store.server.fault = () => fault;
    await expect(backend.sync({ index: 't' })).rejects.toMatchObject({
      next: [{ step: 'leave_store', index: 't' }],
    });
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    await backend.moveIndex({ index: 't' });
    expect(warned.mock.calls).toEqual([
      [expect.stringMatching(/^an index stays in its former store: .*home/), 'LhsWarning'],
    ]);
    warned.mockRestore();
    await backend.sync({ index: 't' });
    expect(await rows()).toBe(2);
    expect(await backend.verify({ index: 't' })).toMatchObject({ equal: true });
    await backend.moveIndex({ index: 't', storage: `${folder}/home` });
    const at = await openEngine(`file://${folder}/home/t`, { threads: 0 });
    expect((await at.search({ index: 't', query: '*' })).total).toBe(2);
    await at.close();
  });

  it('says so in all work with the store, which loses nothing', async () => {
    const { backend } = store.lake;
    const index = 't';
    store.server.fault = () => fault;
    const works = {
      sync: () => backend.sync({ index }),
      reindex: () => backend.reindex({ index }),
      compact: () => backend.compact({ index }),
      verify: () => backend.verify({ index }),
      repair: () => backend.verify({ index, repair: true }),
      clone: () => backend.cloneIndex({ index, name: 'u' }),
      rename: () => backend.renameIndex({ index, name: 'u' }),
    };
    for (const [name, work] of Object.entries(works)) {
      await expect(work(), name).rejects.toMatchObject({ next: [{ step: 'leave_store', index }] });
    }
    store.server.fault = () => null;
    expect((await backend.listIndexes()).map(({ name }) => name)).toEqual([index]);
    await backend.sync({ index });
    expect(await rows()).toBe(2);
    expect(await backend.verify({ index })).toMatchObject({ equal: true });
  });

  it('is restored, moved and synced', async () => {
    const { backend } = store.lake;
    store.server.fault = () => fault;
    const target = join(store.work, 'backups');
    const { backup } = await backend.backup({ index: 't', target });
    await backend.restore({ backup, target, as: 'again' });
    await backend.moveIndex({ index: 'again', storage: join(store.work, 'other') });
    await backend.sync({ index: 'again' });
    expect(await rows('again')).toBe(2);
  });
});

describe('an index that moves to a store which does not take it', () => {
  const index = 't';
  beforeEach(async () => {
    await store.lake.create(schemaOf({ id: 'string' }));
    await store.lake.define(fieldsIn(store.place));
    await add('k0');
    await store.lake.backend.reindex({ index });
  });

  it.each(Object.entries(AWAYS))('stays where it is: %s', async (_, fault) => {
    const { backend } = store.lake;
    store.server.fault = ({ key }) => (key.includes('/other/') ? fault : null);
    const storage = `${store.place}/other`;
    await expect(backend.moveIndex({ index, storage })).rejects.toMatchObject({
      message: expect.stringContaining('/other/'),
    });
    await add('k1');
    await backend.sync({ index });
    const at = await openEngine(`${store.place}/t`, { threads: 0 });
    expect((await at.search({ index, query: '*' })).total).toBe(2);
    await at.close();
  });

  it.each(Object.entries(AWAYS))('says so in its diagnosis: %s', async (_, fault) => {
    const { backend, folder: base_dir } = store.lake;
    store.server.fault = ({ key }) => (key.includes('/other/') ? fault : null);
    const definition_yaml = definitionIn(`${store.place}/other`);
    const altered = backend.alterIndex({ index, definition_yaml, base_dir, apply: true });
    await expect(altered).rejects.toMatchObject({ message: expect.stringContaining('/other/') });
    expect(await backend.diagnose({ index })).toContainEqual(
      expect.objectContaining({
        ...{ kind: 'published', level: 'problem', next: [{ step: 'leave_store', index }] },
        detail: expect.stringContaining('/other/'),
      }),
    );
  });

  it('stays where it is if that store has another index of its name', async () => {
    const { backend } = store.lake;
    const storage = `${store.place}/taken`;
    const other = await openSmallLake();
    await other.create(schemaOf({ id: 'string' }));
    await other.define(fieldsIn(storage));
    await other.backend.reindex({ index });
    await other.close();
    const taken = { code: 'already_exists' };
    await expect(backend.moveIndex({ index, storage })).rejects.toMatchObject(taken);
    await backend.sync({ index });
    // a definition of an older version or of a file may lead there, too
    const { folder: base_dir } = store.lake;
    const definition_yaml = definitionIn(storage);
    const altered = backend.alterIndex({ index, definition_yaml, base_dir, apply: true });
    await expect(altered).rejects.toMatchObject(taken);
    await expect(backend.sync({ index })).rejects.toMatchObject({
      ...taken,
      next: [{ step: 'leave_store', index }],
    });
    expect(await backend.diagnose({ index })).toContainEqual(
      expect.objectContaining({ kind: 'published', level: 'problem' }),
    );
    await backend.moveIndex({ index, storage: `${store.place}/free` });
    expect(await rows()).toBe(1);
  });
});

describe('an index that is followed', () => {
  it('has a fault of its store in its status', async () => {
    const { backend } = store.lake;
    const index = 't';
    await store.lake.create(schemaOf({ id: 'string' }));
    await store.lake.define(fieldsIn(store.place));
    await add('k0');
    await backend.reindex({ index });
    store.server.fault = () => AWAYS['a key that is revoked'];
    const followed = backend.follow({ index });
    await followed.next();
    await followed.return(undefined);
    expect(await backend.status({ index })).toMatchObject({
      sync_failure: { message: expect.stringContaining(store.place) },
    });
    store.server.fault = () => null;
    await backend.sync({ index });
    expect(await backend.status({ index })).not.toHaveProperty('sync_failure');
  });
});

describe('an index that has not been built', () => {
  it('is fetched by a sync if it is published', async () => {
    await store.lake.create(schemaOf({ id: 'string' }));
    await store.lake.define(fieldsIn(store.place));
    await expect(rows()).rejects.toMatchObject({
      code: 'index_not_built',
      hint: expect.stringContaining('a sync fetches what is published'),
      next: [
        { step: 'sync', index: 't' },
        { step: 'reindex', index: 't' },
      ],
    });
  });

  it('gets another store by a corrected definition', async () => {
    const { backend, folder } = store.lake;
    await store.lake.create(schemaOf({ id: 'string' }));
    await add('k0');
    const create = (storage: string) =>
      backend.createIndex({ definition: definitionIn(storage), base_dir: folder });
    await expect(create('s3://none/at')).rejects.toHaveProperty('code', 'not_found');
    await create(`${store.place}-former`);
    store.server.fault = ({ key }) =>
      key.includes('-former') ? AWAYS['a bucket that is gone'] : null;
    await expect(backend.reindex({ index: 't' })).rejects.toHaveProperty('code', 'not_found');
    const definition_yaml = definitionIn(store.place);
    await backend.alterIndex({ index: 't', definition_yaml, base_dir: folder, apply: true });
    await backend.reindex({ index: 't' });
    expect(await rows()).toBe(1);
    expect(store.objects().length).toBeGreaterThan(0);
  });
});

describe('a name that the store refuses although it is not there', () => {
  it('is refused by name', async () => {
    await store.lake.create(schemaOf({ id: 'string' }));
    await store.lake.define(fieldsIn(store.place));
    store.server.fault = ({ method, key }) =>
      method === 'PUT' && /\/(indexes\/t|repository.json)$/.test(key)
        ? { kind: 'status', status: 412, code: 'PreconditionFailed' }
        : null;
    await expect(store.lake.backend.reindex({ index: 't' })).rejects.toMatchObject({
      code: 'unsupported',
      message: `"${store.place}/indexes/t" is not there, but cannot be written`,
    });
  });
});

describe('a bundle that the store has cut', () => {
  it('is damaged, even if no byte of what is read is there', async () => {
    await store.lake.create(schemaOf({ id: 'string' }));
    await store.lake.define(fieldsIn(store.place));
    await add('k0');
    await store.lake.backend.reindex({ index: 't' });
    const [key] = store.objects().find(([name]) => name.includes('/data/'))!;
    store.server.put('home', key, Buffer.alloc(10));
    await expect(openEngine(`${store.place}/t`, { threads: 0 })).rejects.toMatchObject({
      code: 'corrupt_index',
      message: `"s3://home/${key}" of a published index is cut`,
      hint: 'where the index is written, a repair restores it',
    });
  });
});
