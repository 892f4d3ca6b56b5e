// @module-tag campaign
/** Programs that read published indexes by location while these change. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { storeLakes } from './store-lake.ts';

const store = storeLakes();
/** What the store was asked for. */
let seen: string[];
beforeEach(async () => {
  seen = [];
  store.server.fault = ({ method, key }) => {
    seen.push(`${method} ${key}`);
    return null;
  };
  await store.lake.create(schemaOf({ id: 'string', title: 'string', host: 'string' }));
  await append(0, 300);
  await store.lake.define(definition('host'));
  await store.lake.backend.reindex({ index: 't' });
});

const definition = (...keywords: string[]) =>
  `storage: ${store.place}\nfields:\n  - { name: title, type: TEXT, cached: true }\n${keywords
    .map((name) => `  - { name: ${name}, type: KEYWORD, fast: true }`)
    .join('\n')}`;

const rows = (from: number, count: number, mark = 'plain') =>
  Array.from({ length: count }, (_, i) => ({
    ...{ id: `k${from + i}`, host: `${mark}${i % 7}` },
    title: `night train ${(from + i) % 97} ${noise(from + i)}`,
  }));
/** Text that no compression shortens much. */
const noise = (seed: number) => {
  const below = seededBelow(seed + 1);
  return Array.from({ length: seed % 9 }, () => below(2 ** 31).toString(36)).join(' ');
};
const append = (from: number, count: number) =>
  appendRows(store.lake.source, { kind: 'rows', rows: rows(from, count) });

const open = (refreshMs = 0, location = `${store.place}/t`) =>
  openEngine(location, { threads: 0, refreshMs });
type Engine = Awaited<ReturnType<typeof open>>;

const keyOf = (value: string) => ({ identifier: [{ name: 'id', value }] });
const total = async (engine: Engine, query = '*') =>
  (await engine.search({ index: 't', query, limit: 1 })).total;

async function exported(engine: Engine): Promise<readonly string[]> {
  const all = await Array.fromAsync(engine.exportDocuments({ index: 't' }));
  return all.map((row) => JSON.stringify(row)).sort();
}

/** Throws unless an engine answers as the one that writes the index. */
async function expectSame(engine: Engine, what: string): Promise<void> {
  expect(await exported(engine), what).toEqual(await exported(store.lake.backend));
  for (const query of ['train AND host:plain3', '"night train"', 'title:carr*']) {
    const request = { index: 't', query, limit: 20, highlight: {} };
    const plain = ({ hits, total: count }: Awaited<ReturnType<Engine['search']>>) => [hits, count];
    const expected = plain(await store.lake.backend.search(request));
    expect(plain(await engine.search(request)), `${what}: ${query}`).toEqual(expected);
  }
}

/** Changes of the table and the index. */
const CHANGES: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
  append: (n) => append(1000 + 10 * n, 10).then(() => store.lake.backend.sync({ index: 't' })),
  upsert: (n) =>
    upsertRows(store.lake.source, { kind: 'rows', rows: rows(n, 20, 'late') }).then(() =>
      store.lake.backend.sync({ index: 't' }),
    ),
  delete: (n) =>
    deleteRows(store.lake.source, `id = 'k${2 * n}'`).then(() =>
      store.lake.backend.sync({ index: 't' }),
    ),
  compact: () => store.lake.backend.compact({ index: 't' }),
  reindex: () => store.lake.backend.reindex({ index: 't' }),
  erase: async (n) => {
    await deleteRows(store.lake.source, `id = 'k${2 * n + 1}'`);
    await store.lake.backend.sync({ index: 't' });
    await store.lake.backend.runErasure({ index: 't', keys: [keyOf(`k${2 * n + 1}`)] });
  },
  alter: (n) => {
    const source = `source: { catalog: ${JSON.stringify(store.lake.source.catalog)}, table: a.t }`;
    const field = `  - { name: host${n}, source: host, type: KEYWORD, fast: true }`;
    const text = `version: 1\nindex: t\n${source}\n${definition('host')}\n${field}\n`;
    return store.lake.backend.alterIndex({ index: 't', definition_yaml: text, apply: true });
  },
};

describe('a program that reads by location', () => {
  it('answers as the writer after each change', async () => {
    const seed = seedOfDay();
    const below = seededBelow(seed);
    const engine = await open();
    const names = Object.keys(CHANGES);
    for (let n = 0; n < byEffort(14, 80); n++) {
      const name = n < names.length ? names[n]! : names[below(names.length)]!;
      await CHANGES[name]!(n);
      if (below(3) === 0) evictColdBytes(0);
      await expectSame(engine, `${name}, change ${n} of seed ${seed}`);
    }
    await engine.close();
  });

  it('asks for one object if nothing is new, and fetches only what is', async () => {
    const engine = await open();
    await exported(engine);
    seen.length = 0;
    await total(engine);
    expect(seen).toEqual([expect.stringMatching(/^GET .*indexes\/t$/)]);
    await append(300, 1);
    await store.lake.backend.sync({ index: 't' });
    seen.length = 0;
    expect(await total(engine)).toBe(301);
    expect(seen.filter((request) => request.includes('/data/'))).toHaveLength(1);
    await engine.close();
  });

  it('opens what is new with five requests, and what the cache has with two', async () => {
    seen.length = 0;
    await (await open()).close();
    const names = () => seen.map((request) => request.replace(/^GET .*?(\w+)(-[^/]*)?$/, '$1'));
    expect(names().sort()).toEqual(['000000000001', '000000000001', '000000000002', 'json', 't']);
    seen.length = 0;
    await (await open()).close();
    expect(names().sort()).toEqual(['json', 't']);
  });

  it('sees new commits in the background', async () => {
    const engine = await open(1);
    expect(await total(engine)).toBe(300);
    await append(300, 10);
    await store.lake.backend.sync({ index: 't' });
    await vi.waitFor(async () => expect(await total(engine)).toBe(310), 20_000);
    await engine.close();
  });

  it('keeps points in time, and the commit of an export that runs', async () => {
    const engine = await open();
    const { pit_id } = await engine.openPit({ index: 't' });
    const documents = engine.exportDocuments({ index: 't' });
    await documents.next();
    await CHANGES.upsert!(0);
    await CHANGES.reindex!(0);
    expect(await total(engine, 'host:late1')).toBe(3);
    const request = { index: 't', query: 'host:late1', pit_id };
    expect((await engine.search(request)).total).toBe(0);
    const rest = await Array.fromAsync(documents);
    expect(rest).toHaveLength(299);
    expect(JSON.stringify(rest)).not.toContain('late');
    expect(await engine.closePit({ index: 't', pit_id })).toEqual({ closed: true });
    await engine.close();
  });

  it('says that the index was dropped, and opens one that is made again', async () => {
    await append(1000, 20_000);
    await store.lake.backend.sync({ index: 't' });
    const engine = await open();
    vi.stubEnv('LHS_COLD_CACHE_DIR', join(store.cache, 'other'));
    const other = await open(3_600_000);
    await store.lake.backend.dropIndex({ index: 't' });
    const dropped = {
      ...{ code: 'index_not_found', message: `there is no index at "${store.place}/t" any more` },
      hint: 'it was dropped there, was renamed, or left it',
    };
    const request = { index: `${store.place}/t`, query: 'train' };
    await expect(engine.search(request)).rejects.toMatchObject(dropped);
    // it has not looked, and the blocks that it needs are gone
    evictColdBytes(0);
    await expect(other.search({ ...request, index: 't' })).rejects.toMatchObject({
      code: 'index_not_found',
    });
    await store.lake.define(definition());
    await store.lake.backend.reindex({ index: 't' });
    expect((await engine.search(request)).total).toBe(20_300);
    await engine.close();
    await other.close();
  });

  it('says where an index is that was moved, until it comes back', async () => {
    const readers = [await open(), await open(0, store.place)];
    const second = `${store.place}-second`;
    await store.lake.backend.moveIndex({ index: 't', storage: second });
    const gone = { code: 'index_not_found', hint: `it was moved to "${second}/t"` };
    for (const reader of [...readers, { search: () => open() }]) {
      await expect(reader.search({ index: 't', query: 'train' })).rejects.toMatchObject(gone);
    }
    await store.lake.backend.moveIndex({ index: 't', storage: store.place });
    for (const reader of readers) expect(await total(reader)).toBe(300);
    await store.lake.backend.moveIndex({ index: 't' });
    const left = { hint: 'it was dropped there, was renamed, or left it' };
    const request = { index: `${store.place}/t`, query: '*' };
    await expect(readers[0]!.search(request)).rejects.toMatchObject(left);
    await expect(total(readers[1]!)).rejects.toHaveProperty('hint', undefined);
    await expect(open()).rejects.toMatchObject({ hint: expect.stringContaining('"storage"') });
    for (const reader of readers) await reader.close();
  });

  it('reads a place before anything is published there', async () => {
    const later = `${store.place}-later`;
    await expect(openEngine(later, { threads: 0 })).rejects.toHaveProperty(
      'code',
      'index_not_found',
    );
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const reader = await openEngine(later, { threads: 0, refreshMs: 0, asPlace: true });
    expect(await reader.listIndexes()).toEqual([]);
    expect(warned.mock.calls).toEqual([
      [`"${later}" has no index yet: those to come are read`, 'LhsWarning'],
    ]);
    await store.lake.backend.moveIndex({ index: 't', storage: later });
    expect(await total(reader)).toBe(300);
    await reader.close();
    warned.mockRestore();
    const none = openEngine('s3://no-such-bucket/x', { threads: 0, asPlace: true });
    await expect(none).rejects.toHaveProperty('code', 'not_found');
  });

  it('shares what it fetched with other processes', async () => {
    const [one, other] = [await open(), await open()];
    await CHANGES.append!(0);
    expect(await Promise.all([total(one), total(other)])).toEqual([310, 310]);
    expect(one.dataDir).toBe(other.dataDir);
    expect(readdirSync(join(one.dataDir, 'indexes'))).toHaveLength(1);
    await one.close();
    expect(await total(other)).toBe(310);
    await other.close();
  });

  it('has the newest commit if another process was faster with a former one', async () => {
    /** Opens the index, up to where its files are fetched; they come with `release`. */
    const begin = async () => {
      const files = Promise.withResolvers<void>();
      const demand = Promise.withResolvers<void>();
      store.server.fault = ({ key }) => {
        if (!key.includes('/data/')) return null;
        demand.resolve();
        return { kind: 'held', until: files.promise };
      };
      const engine = open();
      await demand.promise;
      store.server.fault = () => null;
      return { engine, release: files.resolve };
    };
    const faster = await begin();
    await CHANGES.append!(0);
    const late = await begin();
    faster.release();
    await (await faster.engine).close();
    late.release();
    const engine = await late.engine;
    expect(await total(engine)).toBe(310);
    await engine.close();
  });

  it('goes on with its commit if the store fails, and warns once', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    const engine = await open();
    const before = await exported(engine);
    store.server.fault = () => ({ kind: 'status', status: 403, code: 'AccessDenied' });
    expect(await exported(engine)).toEqual(before);
    expect(await exported(engine)).toEqual(before);
    store.server.fault = () => null;
    await CHANGES.append!(0);
    expect(await total(engine)).toBe(310);
    process.off('warning', note);
    expect(warnings).toEqual([expect.stringMatching(/^no newer commit is read: .*denied/)]);
    await engine.close();
  });
});

describe('a place that is opened', () => {
  it('has the indexes that are published there, new ones too', async () => {
    const engine = await open(0, store.place);
    const names = async () => (await engine.listIndexes()).map(({ name }) => name);
    expect(await names()).toEqual(['t']);
    await expectSame(engine, 'a place');
    await store.lake.backend.cloneIndex({ index: 't', name: 'u' });
    expect(await names()).toEqual(['t', 'u']);
    expect((await engine.search({ index: `${store.place}/u`, query: 'train' })).total).toBe(300);
    await CHANGES.append!(0);
    expect(await total(engine)).toBe(310);
    seen.length = 0;
    await total(engine);
    expect(seen).toHaveLength(1);
    await store.lake.backend.dropIndex({ index: 't' });
    expect(await names()).toEqual(['u']);
    await expect(engine.search({ index: 't', query: 'x' })).rejects.toMatchObject({
      ...{ code: 'index_not_found', message: `"${store.place}" has no index "t"` },
      hint: 'indexes: u',
    });
    await expect(engine.dropIndex({ index: 'u' })).rejects.toMatchObject({ code: 'unsupported' });
    await engine.close();
  });
});
