import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string' });

let lake: SmallLake;
let backend: LocalEngine;
/** Another process that has the data folder open. */
let other: LocalEngine;

const append = (id: number) => lake.append([{ id, title: 'night train' }]);

beforeAll(async () => {
  lake = await openSmallLake({ memory: { results: 1 << 20 } });
  ({ backend } = lake);
  other = await openEngine(backend.dataDir, { create: true, threads: 0 });
  await lake.create(SCHEMA);
  await append(0);
});
afterAll(async () => {
  await other.close();
  await lake.close();
});

async function built(index: string): Promise<void> {
  const definition = `# of the night
version: 1
index: ${index} # its name
source: ${JSON.stringify(lake.source)}
fields: [{ name: title, type: TEXT }]
`;
  await backend.createIndex({ definition });
  await backend.reindex({ index });
}

const search = (index: string, of = backend) => of.search({ index, query: 'night' });
const rename = (index: string, name: string, indexes?: readonly string[]) => {
  const principal = indexes && { subject: 'u', scopes: [], indexes };
  return backend.renameIndex({ index, name }, principal && { principal });
};
const refused = (code: string) => expect.objectContaining({ code });

describe('a renamed index', () => {
  it('takes aliases, saved queries, points in time and cached answers with it', async () => {
    await built('old');
    await backend.setAlias({ alias: 'live', index: 'old' });
    for (const index of ['old', 'live']) {
      await backend.createSavedQuery({ name: index, request: { index, query: 'night' } });
      expect((await search(index)).total).toBe(1);
    }
    const { pit_id } = await backend.openPit({ index: 'old', keep_alive: '1m' });
    expect((await search('live', other)).total).toBe(1);
    expect(await rename('old', 'new')).toEqual({
      ...{ index: 'new', previous_name: 'old', aliases: ['live'], saved_queries: 1 },
    });
    for (const each of [backend, other]) {
      await expect(search('old', each)).rejects.toEqual(refused('index_not_found'));
      for (const index of ['new', 'live']) {
        expect((await search(index, each)).total).toBe(1);
        expect((await each.describeIndex({ index })).index).toBe('new');
      }
    }
    expect((await backend.search({ index: 'new', query: 'night', pit_id })).total).toBe(1);
    const saved = await backend.listSavedQueries();
    expect(saved.map(({ request }) => request.index).sort()).toEqual(['live', 'new']);
    const [job] = await backend.listJobs({ index: 'new' });
    expect(job).toMatchObject({ kind: 'reindex', index: 'new' });
    await built('old');
    expect((await search('old')).total).toBe(1);
  });

  it('needs no table, and keeps the text of its definition', async () => {
    await built('away');
    const warehouse = join(lake.folder, 'lake');
    renameSync(warehouse, `${warehouse}.away`);
    try {
      await rename('away', 'back');
    } finally {
      renameSync(`${warehouse}.away`, warehouse);
    }
    expect(await backend.sync({ index: 'back' })).toMatchObject({ snapshots_applied: 0 });
    expect((await backend.verify({ index: 'back' })).equal).toBe(true);
    expect((await backend.describeIndex({ index: 'back' })).index_generation).toBe(1);
  });

  it('ends its followers with an error that has the new name', async () => {
    await built('followed');
    const events = backend.follow({ index: 'followed', poll_ms: 100 })[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ event: 'waiting' });
    await rename('followed', 'renamed');
    await expect(events.next()).rejects.toMatchObject({
      code: 'index_not_found',
      message: 'index "followed" was renamed to "renamed"',
    });
  });
});

describe('a new name', () => {
  it.each([
    ['of an index', 'taken', 'index_exists'],
    ['of the index itself', 'first', 'index_exists'],
    ['of an alias', 'second', 'index_exists'],
    ['in capitals', 'Third', 'invalid_argument'],
    ['that is a path', '../third', 'invalid_argument'],
  ])('%s is refused, and nothing changes', async (_, name, code) => {
    const names = (await backend.listIndexes()).map((one) => one.name);
    if (!names.includes('first')) {
      await built('first');
      await built('taken');
      await backend.setAlias({ alias: 'second', index: 'taken' });
    }
    await expect(rename('first', name)).rejects.toEqual(refused(code));
    expect((await search('first')).total).toBeGreaterThan(0);
  });

  it('is refused for an alias', async () => {
    await built('target');
    await backend.setAlias({ alias: 'by-alias', index: 'target' });
    await expect(rename('by-alias', 'x')).rejects.toThrow('is an alias of index "target"');
  });

  it('needs a caller who may use both names, and changes no list of indexes', async () => {
    await built('listed');
    await built('secret');
    await expect(rename('listed', 'unlisted', ['listed'])).rejects.toEqual(
      refused('permission_denied'),
    );
    const closed = await rename('secret', 'listed', ['listed']).catch((error) => error.message);
    const unknown = await rename('secreu', 'listed', ['listed']).catch((error) => error.message);
    expect(closed).toBe(unknown.replace('secreu', 'secret'));
    expect(await rename('listed', 'both', ['listed', 'both'])).toMatchObject({ index: 'both' });
    const principal = { subject: 'u', scopes: [], indexes: ['listed'] };
    const read = (index: string) => backend.search({ index, query: '*:*' }, { principal });
    await expect(read('both')).rejects.toEqual(refused('permission_denied'));
    await expect(read('listed')).rejects.toEqual(refused('index_not_found'));
  });

  it('is refused while a build runs, which goes on', async () => {
    await built('busy');
    let seen: Promise<unknown> | undefined;
    const progress = () => {
      seen ??= expect(other.renameIndex({ index: 'busy', name: 'free' })).rejects.toMatchObject({
        code: 'index_busy',
        details: { job_id: expect.any(String) },
      });
    };
    await backend.reindex({ index: 'busy' }, { progress });
    await seen;
    expect(await rename('busy', 'free')).toMatchObject({ index: 'free' });
  });
});
