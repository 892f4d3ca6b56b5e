// @module-tag campaign
/** Indexes that are published in an object store, opened by their location from an empty disk. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { describe, expect, it, vi } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { addPages } from '../../../../test/support/files-named.ts';
import { generationOf } from '../../../../test/support/generation-of.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import type { PublishedCommit } from '../../src/home/chain.ts';
import { evictColdBytes, limitColdBytes } from '../../src/storage/cold-cache.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { storeLakes } from './store-lake.ts';
import { storedValue } from './stored-value.ts';

const ROWS = 12_000;
const REQUESTS = byEffort(60, 1000);
const WORDS = Array.from({ length: 400 }, (_, i) => `word${i}`);

const rows = (from: number, to: number, mark = 'plain') => {
  const below = seededBelow(from + 1);
  return Array.from({ length: to - from }, (_, i) => ({
    id: `k${from + i}`,
    title: Array.from({ length: 25 }, () => WORDS[below(20) === 0 ? below(400) : below(40)]).join(
      ' ',
    ),
    host: `${mark}${below(300)}`,
    size: below(100_000),
    at: new Date(Date.UTC(2020, 0, 1) + below(2000) * 86_400_000).toISOString(),
  }));
};

const store = storeLakes({ openEmbedder: tinyModels().open });

/** Keys of the objects of a place. */
const keysOf = (place: string) => store.objects(place).map(([key]) => key);

async function build(count = ROWS, place = store.place, lake = store.lake): Promise<string> {
  await lake.create(
    schemaOf({ id: 'string', title: 'string', host: 'string', size: 'long', at: 'timestamptz' }),
  );
  await appendRows(lake.source, { kind: 'rows', rows: rows(0, count) });
  await lake.define(`storage: ${place}
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: host, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true, cached: true }
  - { name: at, type: DATE }
  - { name: meaning, type: VECTOR, source: title, model: ${lake.folder}, dims: 8 }`);
  await lake.backend.reindex({ index: 't' });
  return place;
}

const openAt = (place: string) =>
  openEngine(`${place}/t`, { threads: 0, openEmbedder: tinyModels().open });
type Engine = Awaited<ReturnType<typeof openAt>>;

/** An answer without what says how and when it was made. */
const plain = (answer: object) =>
  Object.fromEntries(
    Object.entries(answer).filter(([name]) => !/^(took|lag|timings|bytes_read)/.test(name)),
  );

const keyOf = (value: string) => ({ identifier: [{ name: 'id', value }] });

/** A random request of each kind. */
function someRequests(seed: number): ((engine: Engine) => Promise<object>)[] {
  const below = seededBelow(seed);
  const word = () => WORDS[below(below(3) === 0 ? 400 : 40)]!;
  const queries = [
    () => word(),
    () => `${word()} AND ${word()}`,
    () => `title:"${word()} ${word()}"`,
    () => `${word().slice(0, 5)}*`,
    () => `title:${word()}x~1`,
    () => `size:[${below(50_000)} TO ${50_000 + below(50_000)}]`,
    () => `host:plain${below(300)} OR ${word()}`,
    () => `at:[2021-01-01 TO 2022-0${1 + below(9)}-01] AND NOT ${word()}`,
  ];
  const query = () => queries[below(queries.length)]!();
  const index = 't';
  const kinds: ((engine: Engine) => Promise<object>)[] = [
    (
      (q) => (e: Engine) =>
        e.search({ index, query: q, limit: 10 })
    )(query()),
    (
      (q) => (e: Engine) =>
        e.search({ index, query: q, sort: [{ field: 'size', desc: true }] })
    )(query()),
    (
      (q) => (e: Engine) =>
        e.search({ index, query: q, collapse: 'host', highlight: {} })
    )(query()),
    (
      (q) => (e: Engine) =>
        e.facets({ index, query: q, fields: ['host'] })
    )(query()),
    (
      (q) => (e: Engine) =>
        e.aggregate({ index, query: q, aggs: { s: { stats: { field: 'size' } } } })
    )(query()),
    (
      (q) => (e: Engine) =>
        e.semantic({ index, query_text: q, limit: 5 })
    )(word()),
    (
      (text) => (e: Engine) =>
        e.hybrid({ index, query_text: text, limit: 5 })
    )(`${word()} ${word()}`),
    (
      (q, coordinates) => (e: Engine) =>
        e.explain({ index, query: q, coordinates })
    )(query(), keyOf(`k${below(ROWS)}`)),
    (
      (text) => (e: Engine) =>
        e.suggest({ index, field: 'title', text, limit: 5 })
    )(word().slice(0, 5)),
    (
      (keys) => (e: Engine) =>
        e.getKeys({ index, keys })
    )([keyOf(`k${below(2 * ROWS)}`), keyOf(`k${below(ROWS)}`)]),
    (
      (keys) => (e: Engine) =>
        e.search({ index, ast: { more_like_this: { fields: ['title'], keys } } })
    )([keyOf(`k${60 + below(200)}`)]),
  ];
  return kinds;
}

/**
 * Throws unless an engine answers as the one that published the index, each time after `prepare`.
 */
async function expectSame(
  engine: Engine,
  seed: number,
  count: number,
  ...prepare: readonly (() => void)[]
): Promise<void> {
  for (let n = 0; n < count; ) {
    for (const ask of someRequests(seed + n)) {
      const right = json(await ask(store.lake.backend));
      for (const before of prepare.length === 0 ? [() => {}] : prepare) {
        before();
        expect(json(await ask(engine)), `request ${n} of ${seed}`).toBe(right);
      }
      n++;
    }
  }
}

const json = (answer: object): string =>
  JSON.stringify(plain(answer), (_, value) => (typeof value === 'bigint' ? `${value}n` : value));

/** Removes all blocks from memory and from the cache. */
function evictAll(): void {
  evictColdBytes(0);
  for (const name of readdirSync(store.cache)) {
    if (name !== 'opened') rmSync(join(store.cache, name), { force: true });
  }
}

describe('a published index', () => {
  it('is refused if its objects are not what a writer makes', async () => {
    const place = await build(20);
    const key = keysOf(place).find((name) => name.includes('/commits/'))!;
    const objects = store.server.buckets.get('home')!;
    const object = objects.get(key)!;
    const commit = storedValue<PublishedCommit>(object.bytes);
    const hostile = [
      { ...commit, attempt: '../../../x' },
      { ...commit, uuid: '../x' },
      { ...commit, generation: -1 },
      { ...commit, files: { ...commit.files, commit: 7 } },
      { ...commit, bundles: [{ ...commit.bundles[0], whole: 0, size: 2 ** 40 }] },
      null,
    ];
    for (const other of hostile) {
      store.emptyCache();
      objects.set(key, { ...object, bytes: Buffer.from(JSON.stringify(other)) });
      await expect(openAt(place)).rejects.toHaveProperty('code', 'corrupt_index');
    }
  });

  it('whose definition sends secrets somewhere needs a trusted location', async () => {
    const place = await build(20);
    const key = keysOf(place).find((name) => name.includes('/commits/'))!;
    const objects = store.server.buckets.get('home')!;
    const object = objects.get(key)!;
    const commit = storedValue<PublishedCommit>(object.bytes);
    const open = async (catalog: string) => {
      const definition = commit.definition.replace(/(?<=catalog: )\{[^}]*\}/, catalog);
      expect(definition).toContain(catalog);
      const bytes = Buffer.from(JSON.stringify({ ...commit, definition }));
      objects.set(key, { ...object, bytes });
      store.emptyCache();
      const engine = await openAt(place);
      await engine.close();
    };
    const rest = '{ type: rest, uri: "https://c.test", token_env: API_KEY }';
    const refused = [rest, '{ type: sql, uri: "postgresql://h.test/d" }'];
    for (const catalog of refused) {
      await expect(open(catalog)).rejects.toHaveProperty('code', 'permission_denied');
    }
    vi.stubEnv('LHS_TRUSTED_LOCATIONS', `s3://other ${place}`);
    await open(rest);
    await expect(open(rest)).resolves.toBeUndefined();
    vi.stubEnv('LHS_TRUSTED_LOCATIONS', place.slice(0, -1));
    await expect(open(rest)).rejects.toHaveProperty('code', 'permission_denied');
  });

  it('answers by its location as at home, cold, warm and with a cache of 1 %', async () => {
    const place = await build();
    const { objects } = await store.lake.backend.usage({ index: 't' });
    for (const share of [1, 0.01]) {
      store.emptyCache();
      vi.stubEnv('LHS_COLD_CACHE_BYTES', share < 1 ? '0' : '');
      const engine = await openAt(place);
      limitColdBytes(share * objects!.bytes);
      const ways = share < 1 ? [() => evictColdBytes()] : [evictAll, () => {}];
      await expectSame(engine, seedOfDay(), REQUESTS, ...ways);
      const exported = await Array.fromAsync(engine.exportDocuments({ index: 't' }));
      expect(exported).toEqual(
        await Array.fromAsync(store.lake.backend.exportDocuments({ index: 't' })),
      );
      await engine.close();
    }
  });

  it('is published with each commit, and only what is new is sent', async () => {
    const place = await build();
    const bytesOf = () =>
      [...store.server.buckets.get('home')!].reduce((n, [, { bytes }]) => n + bytes.length, 0);
    const before = bytesOf();
    await upsertRows(store.lake.source, { kind: 'rows', rows: rows(0, 20, 'late') });
    await deleteRows(store.lake.source, "id = 'k50'");
    await store.lake.backend.sync({ index: 't' });
    expect(bytesOf() - before).toBeLessThan(before / 5);
    store.emptyCache();
    const engine = await openAt(place);
    await expectSame(engine, 7, 14);
    expect((await engine.search({ index: 't', query: 'host:late*' })).total).toBe(20);
    await engine.close();
    await store.lake.backend.reindex({ index: 't' });
    const again = await openAt(place);
    await expectSame(again, 9, 14);
    await again.close();
  });

  it('has the pages of its data files, which name the rows of hits', async () => {
    const place = await build(300);
    addPages(openLocalDirectory(generationOf(store.lake.folder)));
    await appendRows(store.lake.source, { kind: 'rows', rows: rows(300, 310, 'late') });
    await store.lake.backend.sync({ index: 't' });
    store.emptyCache();
    const engine = await openAt(place);
    const request = { index: 't', query: 'host:*', limit: 50, hydrate: true };
    const answer = await engine.search(request);
    expect(plain(answer)).toEqual(plain(await store.lake.backend.search(request)));
    expect(answer.hits.every(({ row }) => row !== undefined)).toBe(true);
    await engine.close();
  });

  it('is not there half, whatever fails while it is published', async () => {
    const place = await build(300);
    store.emptyCache();
    for (let n = 0; n < byEffort(3, 8); n++) {
      await upsertRows(store.lake.source, { kind: 'rows', rows: rows(1000 + n, 1001 + n, 'late') });
      let left = n;
      store.server.fault = ({ method }) => {
        if (method === 'GET' || left-- > 0) return null;
        return n % 2 === 0
          ? { kind: 'status', status: 403, code: 'AccessDenied' }
          : { kind: 'lost' };
      };
      await store.lake.backend.sync({ index: 't' }).catch(() => undefined);
      store.server.fault = () => null;
      const engine = await openAt(place);
      expect((await engine.search({ index: 't', query: '*', limit: 1 })).total).toBeGreaterThan(
        299,
      );
      await engine.close();
      await store.lake.backend.sync({ index: 't' });
      const next = await openAt(place);
      await expectSame(next, n, 7);
      await next.close();
    }
  });

  it('is read only, and refused under a name that another folder has published', async () => {
    const place = await build(100);
    store.emptyCache();
    const engine = await openAt(place);
    await expect(engine.sync({ index: 't' })).rejects.toMatchObject({ code: 'unsupported' });
    await expect(engine.reindex({ index: 't' })).rejects.toMatchObject({ code: 'unsupported' });
    await engine.close();
    await expect(openEngine(`${place}/other`)).rejects.toMatchObject({ code: 'index_not_found' });
    const other = await openSmallLake({ openEmbedder: tinyModels().open });
    await expect(build(50, place, other)).rejects.toMatchObject({ code: 'already_exists' });
    await other.close();
  });

  it('leaves its place with its index, its former name with a rename', async () => {
    const place = await build(100);
    await store.lake.backend.renameIndex({ index: 't', name: 'renamed' });
    await expect(openAt(place)).rejects.toMatchObject({ code: 'index_not_found' });
    store.emptyCache();
    const engine = await openEngine(`${place}/renamed`, { threads: 0 });
    expect((await engine.listIndexes()).map(({ name }) => name)).toEqual(['renamed']);
    await engine.close();
    await store.lake.backend.dropIndex({ index: 'renamed' });
    const keys = keysOf(place);
    expect(keys.map((key) => key.split('/').at(-1)).sort()).toEqual(['dropped']);
  });

  it('has none of the erased rows', async () => {
    const place = await build(300);
    await deleteRows(store.lake.source, "id = 'k7'");
    await store.lake.backend.sync({ index: 't' });
    await store.lake.backend.runErasure({ index: 't', keys: [keyOf('k7')] });
    const keys = keysOf(place);
    expect(keys.filter((key) => key.includes('/commits/'))).toHaveLength(1);
    expect(keys.filter((key) => key.includes('/data/'))).toHaveLength(1);
  });
});
