// @module-tag campaign
/** Data folders that write one index in an object store, in turns. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { storeLakes } from './store-lake.ts';

const ROUNDS = byEffort(6, 60, 400);
const WORDS = Array.from({ length: 50 }, (_, i) => `word${i}`);
const SCHEMA = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', required: true, type: { kind: 'string' } },
    { id: 2, name: 'title', required: false, type: { kind: 'string' } },
  ],
} as const;

type Engine = Awaited<ReturnType<typeof openEngine>>;

const store = storeLakes();

const rows = (from: number, count: number, mark = '') =>
  Array.from({ length: count }, (_, i) => ({
    id: `k${from + i}`,
    title: `${mark} ${WORDS[(from + i) % 50]} ${WORDS[(7 * (from + i)) % 50]}`,
  }));

async function build(count = 200): Promise<string> {
  const { place } = store;
  await store.lake.create(SCHEMA);
  await appendRows(store.lake.source, { kind: 'rows', rows: rows(0, count) });
  await store.lake.define(fieldsAt(place));
  await store.lake.backend.reindex({ index: 't' });
  return place;
}

const fieldsAt = (place: string) =>
  `storage: ${place}\nfields: [{ name: title, type: TEXT, cached: true }]`;

/** Another data folder with the same definition. */
async function another(place: string, name = 'other'): Promise<Engine> {
  const engine = await openEngine(join(store.work, name), { create: true, threads: 0 });
  const at = `catalog: ${JSON.stringify(store.lake.source.catalog)}, table: a.t`;
  const definition = `version: 1\nindex: t\nsource: { ${at} }\n${fieldsAt(place)}\n# of ${name}\n`;
  const created = await engine.createIndex({ definition, base_dir: store.lake.folder });
  expect(created.published).toMatchObject({ place: `${place}/t`, pending: true });
  return engine;
}

/** All that an engine finds, with keys and cached values. */
const contents = async (engine: Engine) =>
  (await Array.fromAsync(engine.exportDocuments({ index: 't' })))
    .map((row) => JSON.stringify(row))
    .sort();

const searches = async (engine: Engine) => {
  const { hits, total } = await engine.search({ index: 't', query: 'word1 word8', limit: 50 });
  return { hits, total };
};

describe('an index at home in a store', () => {
  it('is continued by an empty data folder, without a rebuild', async () => {
    const place = await build();
    const other = await another(place);
    await appendRows(store.lake.source, { kind: 'rows', rows: rows(200, 5, 'fresh') });
    const done = await other.sync({ index: 't' });
    expect(done).toMatchObject({ inserted: 5, snapshots_applied: 1, doc_count: 205 });
    const at = await openEngine(`${place}/t`, { threads: 0 });
    expect(await contents(at)).toEqual(await contents(other));
    expect(await searches(at)).toEqual(await searches(other));
    await at.close();
    // the first folder takes what the other one has committed
    expect(await store.lake.backend.sync({ index: 't' })).toMatchObject({ snapshots_applied: 0 });
    expect(await contents(store.lake.backend)).toEqual(await contents(other));
    await other.close();
  });

  it('costs four requests a commit', async () => {
    await build();
    await appendRows(store.lake.source, { kind: 'rows', rows: rows(200, 1000) });
    const requests: string[] = [];
    store.server.fault = ({ method }) => {
      requests.push(method);
      return null;
    };
    await store.lake.backend.sync({ index: 't' });
    // the name, the bundle, the commit, the name
    expect(requests).toEqual(['GET', 'PUT', 'PUT', 'PUT']);
  });

  it('has one history, whoever writes it', async () => {
    const place = await build();
    const engines = [store.lake.backend, await another(place, 'a'), await another(place, 'b')];
    const below = seededBelow(seedOfDay());
    for (let n = 0; n < ROUNDS; n++) {
      const engine = engines[below(3)]!;
      const kind = below(10);
      if (kind < 5)
        await upsertRows(store.lake.source, { kind: 'rows', rows: rows(below(300), 8, `m${n}`) });
      else if (kind < 7) await deleteRows(store.lake.source, `id = 'k${below(300)}'`);
      if (kind === 8) await engine.compact({ index: 't' });
      else if (kind === 9) await engine.reindex({ index: 't' });
      else await engine.sync({ index: 't' });
      const at = await openEngine(`${place}/t`, { threads: 0 });
      const expected = await contents(engine);
      expect(await contents(at), `round ${n}`).toEqual(expected);
      await at.close();
    }
    for (const engine of engines) {
      await engine.sync({ index: 't' });
      expect(await engine.verify({ index: 't' })).toMatchObject({ equal: true });
      expect(await contents(engine)).toEqual(await contents(engines[0]!));
    }
    for (const engine of engines.slice(1)) await engine.close();
  });

  it('is written by several at once: who comes too late does its work again', async () => {
    const place = await build();
    const other = await another(place);
    await other.sync({ index: 't' });
    for (let n = 0; n < byEffort(4, 20, 100); n++) {
      await upsertRows(store.lake.source, { kind: 'rows', rows: rows(n, 10, `at${n}`) });
      await Promise.all([store.lake.backend.sync({ index: 't' }), other.sync({ index: 't' })]);
      await Promise.all([store.lake.backend.sync({ index: 't' }), other.sync({ index: 't' })]);
      expect(await contents(other), `round ${n}`).toEqual(await contents(store.lake.backend));
    }
    const commits = store.objects().filter(([key]) => /commits\//.test(key));
    expect(commits.length).toBeGreaterThan(byEffort(4, 20, 100));
    await other.close();
  });

  it('has the definition that another folder has put in force', async () => {
    const place = await build();
    const other = await another(place);
    await other.sync({ index: 't' });
    const at = `catalog: ${JSON.stringify(store.lake.source.catalog)}, table: a.t`;
    const fields = fieldsAt(place).replace('fields: [', 'fields: [{ name: id, type: KEYWORD }, ');
    const definition_yaml = `version: 1\nindex: t\nsource: { ${at} }\n${fields}\n`;
    await store.lake.backend.alterIndex({ index: 't', definition_yaml, apply: true });
    expect(await other.sync({ index: 't' })).toMatchObject({ snapshots_applied: 0 });
    expect((await other.search({ index: 't', query: 'id:k7' })).total).toBe(1);
    expect(await contents(other)).toEqual(await contents(store.lake.backend));
    await other.close();
  });

  it.each(['sync', 'compact', 'reindex'] as const)(
    'that was moved and altered is continued by a %s in an empty folder',
    async (work) => {
      await build();
      const place = `${store.place}-second`;
      await store.lake.backend.moveIndex({ index: 't', storage: place });
      await store.lake.backend.moveIndex({ index: 't' });
      await store.lake.backend.moveIndex({ index: 't', storage: place });
      const other = await another(place);
      await other[work]({ index: 't' });
      expect(await contents(other)).toEqual(await contents(store.lake.backend));
      expect(await other.listJobs({ state: 'failed' })).toEqual([]);
      await other.close();
    },
  );

  it('is gone on with by a copy of its folder', async () => {
    await build();
    cpSync(join(store.lake.folder, 'data'), join(store.work, 'copy'), { recursive: true });
    const copy = await openEngine(join(store.work, 'copy'), { threads: 0 });
    for (let n = 0; n < 4; n++) {
      await upsertRows(store.lake.source, { kind: 'rows', rows: rows(n, 10, `at${n}`) });
      await (n % 2 === 0 ? copy : store.lake.backend).sync({ index: 't' });
    }
    await copy.sync({ index: 't' });
    expect(await contents(copy)).toEqual(await contents(store.lake.backend));
    await copy.close();
  });

  it('is what the store says, whatever fails while it is committed', async () => {
    const place = await build();
    const other = await another(place);
    for (let n = 0; n < byEffort(6, 12, 24); n++) {
      await upsertRows(store.lake.source, { kind: 'rows', rows: rows(n, 10, `at${n}`) });
      let left = n % 8;
      store.server.fault = ({ method }) => {
        if (method === 'GET' || left-- > 0) return null;
        return n % 2 === 0
          ? { kind: 'status', status: 403, code: 'AccessDenied' }
          : { kind: 'lost' };
      };
      await store.lake.backend.sync({ index: 't' }).catch(() => undefined);
      store.server.fault = () => null;
      const engine = n % 3 === 0 ? store.lake.backend : other;
      await engine.sync({ index: 't' });
      const at = await openEngine(`${place}/t`, { threads: 0 });
      expect(await contents(at), `round ${n}`).toEqual(await contents(engine));
      await at.close();
    }
    expect(await other.verify({ index: 't' })).toMatchObject({ equal: true });
    await other.close();
  });

  it('takes the name that another data folder has given it', async () => {
    const place = await build();
    const other = await another(place);
    await other.sync({ index: 't' });
    await store.lake.backend.renameIndex({ index: 't', name: 'later' });
    await expect(other.sync({ index: 't' })).rejects.toThrow('index "t" was renamed to "later"');
    await appendRows(store.lake.source, { kind: 'rows', rows: rows(200, 5, 'fresh') });
    expect(await other.sync({ index: 'later' })).toMatchObject({ inserted: 5, doc_count: 205 });
    expect(await store.lake.backend.sync({ index: 'later' })).toMatchObject({ doc_count: 205 });
    await other.close();
  });

  it('names the place to which another data folder has moved it', async () => {
    const place = await build();
    const other = await another(place);
    await other.sync({ index: 't' });
    const later = `${place}-later`;
    await store.lake.backend.moveIndex({ index: 't', storage: later });
    await expect(other.sync({ index: 't' })).rejects.toMatchObject({
      code: 'index_not_found',
      message: `"t" was moved from "${place}" to "${later}/t"`,
      hint: `drop it here, then create it with "storage: ${later}" to go on there`,
    });
    await other.dropIndex({ index: 't' });
    await other.close();
    const here = await another(later, 'again');
    expect(await here.sync({ index: 't' })).toMatchObject({ doc_count: 200 });
    await here.close();
  });
});
