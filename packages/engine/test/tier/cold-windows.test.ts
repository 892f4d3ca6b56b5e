/** Windows in an object store, over whole indexes: an S3 server of this process, with faults. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocal } from '@lakehouse-search/engine';
import { appendRows, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { type Fault, S3Server } from '../../../lake/test/s3-server.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';

let server: S3Server;
let lake: SmallLake;
let cache: string;
let place: string;
let places = 0;
beforeAll(async () => {
  server = await S3Server.start('frozen');
});
afterAll(() => server.close());
beforeEach(async () => {
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  cache = mkdtempSync(join(tmpdir(), 'lhs-cold-'));
  vi.stubEnv('LHS_COLD_CACHE_DIR', cache);
  place = `s3://frozen/at-${places++}`;
  lake = await openSmallLake({ openEmbedder: tinyModels().open });
});
afterEach(async () => {
  server.fault = () => null;
  await lake.close();
  rmSync(cache, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

const DAY_MS = 86_400_000;
/** Row `n` is of day `n` of 2025; each tenth one has no date. */
const rows = (from: number, to: number, word = 'disk') =>
  Array.from({ length: to - from }, (_, i) => {
    const n = from + i;
    const at = n % 10 === 9 ? null : new Date(Date.UTC(2025, 0, 1) + n * DAY_MS).toISOString();
    return { id: `k${n}`, title: `${word} ${n % 7} of host ${n % 31}`, host: `h${n % 5}`, at };
  });

const FIELDS = `fields:
  - { name: title, type: TEXT, cached: true }
  - { name: host, type: KEYWORD, fast: true }
  - { name: at, type: DATE }
  - { name: meaning, type: VECTOR, source: title, model: MODEL, dims: 8 }`;

/** The table with two indexes: `plain`, and `t` with windows. */
async function build(shards = 1, more = ''): Promise<void> {
  await lake.create({
    schemaId: 0,
    identifierFieldIds: [1],
    fields: [
      { id: 1, name: 'id', required: true, type: { kind: 'string' } },
      { id: 2, name: 'title', required: false, type: { kind: 'string' } },
      { id: 3, name: 'host', required: false, type: { kind: 'string' } },
      { id: 4, name: 'at', required: false, type: { kind: 'timestamptz' } },
    ],
  });
  await appendRows(lake.source, { kind: 'rows', rows: rows(0, 150) });
  const fields = FIELDS.replace('MODEL', lake.folder);
  const sharding = `sharding: { shards: ${shards} }`;
  const windows = `windows: { field: at, every: month${more} }\nstorage: ${place}`;
  const { catalog, table } = lake.source;
  const source = `source: { catalog: ${JSON.stringify(catalog)}, table: ${table} }`;
  for (const [index, own] of [
    ['plain', sharding],
    ['t', `${sharding}\n${windows}`],
  ]) {
    const definition = `version: 1\nindex: ${index}\n${source}\n${own}\n${fields}\n`;
    await lake.backend.createIndex({ definition });
    await lake.backend.reindex({ index });
  }
}

/** Answers of all kinds, without what says how they were made. */
async function answersOf(index: string, backend = lake.backend) {
  const filter = 'at:[2025-02-01 TO 2025-03-15]';
  const requests = [
    { query: 'disk', limit: 30 },
    { query: 'title:"disk 3"', highlight: {}, limit: 5 },
    { query: 'hos*', sort: [{ field: 'at', desc: true }], limit: 20 },
    { query: 'host', filter, limit: 7, offset: 3 },
    { query: 'host:h3 OR title:dsk~1', collapse: 'host', facets: { fields: ['host'], size: 3 } },
    { query: 'NOT at:*', limit: 3 },
  ];
  const hits = [];
  for (const request of requests) {
    const { hits: own, total, facets } = await backend.search({ index, ...request });
    hits.push({ own, total, facets });
  }
  const aggs = { months: { date_histogram: { field: 'at', calendar_interval: 'month' } } };
  const { results } = await backend.aggregate({ index, query: 'disk', aggs });
  const semantic = await backend.semantic({ index, query_text: 'disk 3', limit: 4, exact: true });
  const near = semantic.hits.map(({ coordinates, score }) => [coordinates, score]);
  const { suggestions } = await backend.suggest({ index, field: 'title', text: 'di' });
  const coordinates = { identifier: [{ name: 'id', value: 'k3' }] };
  const why = await backend.explain({ index, query: 'disk', coordinates });
  const explanation = [why.matched, why.score, why.rank, why.detail];
  const exported = await Array.fromAsync(backend.exportDocuments({ index }));
  return { hits, results, near, suggestions, explanation, exported };
}

const tiers = async (backend = lake.backend) => {
  const { windows } = await backend.windowStatus({ index: 't' });
  return Object.fromEntries(windows.map(({ window, tier }) => [window, tier]));
};
const objects = () =>
  [...server.buckets.get('frozen')!.keys()].filter((k) => k.startsWith(place.slice(12)));
const move = (request: object) => lake.backend.moveWindows({ index: 't', ...request });
const OLD = ['2025-01', '2025-02', '2025-03'];
const writes = () => server.seen.filter(({ method }) => method !== 'GET' && method !== 'HEAD');

function failEvery(n: number): void {
  const faults: readonly Fault[] = [
    { kind: 'status', status: 503, code: 'SlowDown' },
    { kind: 'lost' },
    { kind: 'short' },
    { kind: 'reset' },
  ];
  let requests = 0;
  server.fault = () => (++requests % n === 0 ? faults[(requests / n) % faults.length]! : null);
}

describe('cold windows', () => {
  it.each([1, 3])(
    'answer as hot ones do, before and after syncs, with %i shards',
    async (shards) => {
      await build(shards);
      failEvery(19);
      const done = await move({ cool: [...OLD, 'none'] });
      expect(done.cooled).toEqual([...OLD, 'none']);
      expect(await tiers()).toMatchObject({ '2025-01': 'cold', '2025-04': 'hot', none: 'cold' });
      expect(await answersOf('t')).toEqual(await answersOf('plain'));
      evictColdBytes(0);
      expect(await answersOf('t')).toEqual(await answersOf('plain'));
      server.seen.length = 0;
      // Late rows, rows that leave a cold window, and deletes of cold windows.
      await upsertRows(lake.source, { kind: 'rows', rows: rows(20, 40, 'late disk') });
      await upsertRows(lake.source, {
        kind: 'rows',
        rows: rows(3, 6).map((row) => ({ ...row, at: '2025-05-05T00:00:00Z' })),
      });
      await deleteRows(lake.source, "id = 'k50' OR id = 'k51'");
      for (const index of ['plain', 't']) await lake.backend.sync({ index });
      expect(server.seen).toEqual([]);
      for (const index of ['plain', 't']) await lake.backend.compact({ index });
      const verified = await lake.backend.verify({ index: 't', deep: true });
      expect(verified).toMatchObject({ equal: true, faults: [] });
      expect(writes()).toEqual([]);
      const ids = (answers: Awaited<ReturnType<typeof answersOf>>) => answers.exported;
      expect(ids(await answersOf('t'))).toEqual(ids(await answersOf('plain')));
      // Hot segments of cold windows are cooled, too; then all of it becomes hot again.
      expect((await move({ cool: OLD })).cooled).toEqual(OLD);
      await move({ warm: [...OLD, 'none'] });
      expect(new Set(Object.values(await tiers()))).toEqual(new Set(['hot']));
      expect(objects()).toEqual([]);
      for (const index of ['plain', 't']) await lake.backend.compact({ index });
      expect(await answersOf('t')).toEqual(await answersOf('plain'));
      expect(await lake.backend.verify({ index: 't', deep: true })).toMatchObject({ faults: [] });
    },
  );

  it('are read by another process, from the cache on disk if it has the blocks', async () => {
    await build();
    await move({ cool: OLD });
    const wanted = await answersOf('plain');
    const open = async () => {
      evictColdBytes(0);
      const other = await openLocal(lake.backend.dataDir, { openEmbedder: tinyModels().open });
      try {
        expect(await answersOf('t', other)).toEqual(wanted);
      } finally {
        await other.close();
      }
    };
    await open();
    const { cache: before } = await lake.backend.windowStatus({ index: 't' });
    await open();
    const { cache: after } = await lake.backend.windowStatus({ index: 't' });
    expect(after.misses).toBeGreaterThan(before.misses);
    expect(after.bytes_read).toBe(before.bytes_read);
    expect(before.bytes_read).toBeGreaterThan(0);
  });

  it('fail with window and store if the store is gone; others are still searched', async () => {
    await build();
    await move({ cool: ['2025-02'] });
    server.fault = () => ({ kind: 'status', status: 403, code: 'AccessDenied' });
    const query = 'disk';
    await expect(lake.backend.search({ index: 't', query })).rejects.toMatchObject({
      message: expect.stringContaining('cold window from 2025-02-01 on'),
      details: { place, window: '2025-02-01' },
    });
    const filter = 'at:[2025-03-01 TO 2025-05-01]';
    const found = await lake.backend.search({ index: 't', query, filter });
    const wanted = await lake.backend.search({ index: 'plain', query, filter });
    expect(found.hits).toEqual(wanted.hits);
    expect(found.total).toBe(wanted.total);
    server.fault = () => null;
    expect((await lake.backend.search({ index: 't', query })).total).toBe(150);
  });

  it('refuse bytes that are not those that were cooled', async () => {
    await build();
    await move({ cool: ['2025-02'] });
    for (const key of objects()) {
      const bytes = Buffer.from(server.buckets.get('frozen')!.get(key)!.bytes);
      bytes[bytes.length - 40] ^= 1;
      server.put('frozen', key, bytes);
    }
    await expect(lake.backend.search({ index: 't', query: 'disk' })).rejects.toMatchObject({
      code: 'corrupt_index',
    });
    await expect(move({ warm: ['2025-02'] })).rejects.toMatchObject({ code: 'corrupt_index' });
    expect(await tiers()).toMatchObject({ '2025-02': 'cold' });
  });

  it('follow the definition: the newest windows are hot, without those of the future', async () => {
    await build(1, ', hot: 2');
    await upsertRows(lake.source, {
      kind: 'rows',
      rows: [{ id: 'future', title: 'disk', host: 'h', at: '2999-01-01T00:00:00Z' }],
    });
    await lake.backend.sync({ index: 't' });
    expect((await move({ apply: true })).cooled).toEqual(OLD);
    expect(await tiers()).toEqual({
      ...{ '2025-01': 'cold', '2025-02': 'cold', '2025-03': 'cold', '2025-04': 'hot' },
      ...{ '2025-05': 'hot', '2999-01': 'hot', none: 'hot' },
    });
    expect(await move({ apply: true })).toMatchObject({ cooled: [], warmed: [], bytes_copied: 0 });
    await move({ cool: ['2025-05'] });
    expect((await move({ apply: true })).warmed).toEqual(['2025-05']);
  });

  it('stay hot if the move is stopped; the next one uses what was copied', async () => {
    await build();
    const controller = new AbortController();
    const copies = () =>
      server.seen.filter(
        ({ method, key }) => method === 'PUT' && place.endsWith(key.split('/')[0]!),
      );
    server.seen.length = 0;
    const stopped = lake.backend.moveWindows(
      { index: 't', cool: OLD },
      { signal: controller.signal, progress: () => copies().length > 3 && controller.abort() },
    );
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    const copied = copies().length;
    expect(copied).toBeGreaterThan(3);
    expect(new Set(Object.values(await tiers()))).toEqual(new Set(['hot']));
    await move({ cool: OLD });
    expect(new Set(copies().map(({ key }) => key)).size).toBe(copies().length);
    expect(await answersOf('t')).toEqual(await answersOf('plain'));
  });

  it('stay in the store as long as a point in time needs them', async () => {
    await build();
    await move({ cool: ['2025-02'] });
    const { pit_id } = await lake.backend.openPit({ index: 't', keep_alive: '1h' });
    expect((await move({ warm: ['2025-02'] })).objects_removed).toBe(0);
    evictColdBytes(0);
    const found = await lake.backend.search({ index: 't', pit_id, query: 'disk', limit: 150 });
    expect(found.hits).toHaveLength(150);
    await lake.backend.closePit({ index: 't', pit_id });
    expect((await move({ apply: true })).objects_removed).toBeGreaterThan(0);
    expect(objects()).toEqual([]);
  });

  it('go with their index', async () => {
    await build();
    await move({ cool: OLD });
    expect(objects().length).toBeGreaterThan(0);
    await lake.backend.dropIndex({ index: 't' });
    expect(objects()).toEqual([]);
  });

  it('are built again as hot ones', async () => {
    await build();
    await move({ cool: OLD });
    await lake.backend.reindexWindow({ index: 't', window: '2025-01' });
    expect(await tiers()).toMatchObject({ '2025-01': 'hot', '2025-02': 'cold' });
    expect(await answersOf('t')).toEqual(await answersOf('plain'));
    expect((await move({ apply: true })).objects_removed).toBeGreaterThan(0);
    expect(await answersOf('t')).toEqual(await answersOf('plain'));
  });

  it('are not backed up', async () => {
    await build();
    await move({ cool: OLD });
    const backup = lake.backend.backup({ index: 't', target: join(lake.folder, 'backups') });
    await expect(backup).rejects.toMatchObject({ code: 'unsupported' });
  });
});
