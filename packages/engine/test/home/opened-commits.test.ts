/** What the cache keeps of published indexes that are opened by their location. */
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { trimCache } from '../../src/storage/cache-folder.ts';

const MB = 2 ** 20;
const ROWS = 500;
let lake: SmallLake;
let cache: string;
beforeEach(async () => {
  lake = await openSmallLake();
  cache = join(lake.folder, 'cache');
  vi.stubEnv('LHS_COLD_CACHE_DIR', cache);
  await lake.create(schemaOf({ id: 'string', text: 'string' }));
  await lake.define(`storage: ${lake.folder}/home
fields: [{ name: id, type: KEYWORD }, { name: text, type: TEXT, cached: true }]`);
  await add(0, ROWS);
  await lake.backend.reindex({ index: 't' });
});
afterEach(async () => {
  await lake.close();
  vi.unstubAllEnvs();
});

const add = (from: number, to: number) => {
  const below = seededBelow(from + 1);
  const text = () => Array.from({ length: 40 }, () => below(2 ** 30).toString(36)).join(' ');
  const rows = Array.from({ length: to - from }, (_, i) => ({ id: `k${from + i}`, text: text() }));
  return appendRows(lake.source, { kind: 'rows', rows });
};

const open = () => openEngine(`file://${lake.folder}/home/t`, { threads: 0 });

async function readAll(): Promise<number> {
  const engine = await open();
  try {
    return (await Array.fromAsync(engine.exportDocuments({ index: 't' }))).length;
  } finally {
    await engine.close();
  }
}

const commits = () => readdirSync(join(cache, 'opened'));
const paths = () =>
  readdirSync(cache, { recursive: true, encoding: 'utf8' }).map((name) => join(cache, name));
const bytes = () => paths().reduce((sum, path) => sum + 512 * statSync(path).blocks, 0);

describe('the cache of opened commits', () => {
  it('is used again', async () => {
    expect(await readAll()).toBe(ROWS);
    const [name] = commits();
    const before = statSync(join(cache, 'opened', name!)).ino;
    expect(await readAll()).toBe(ROWS);
    expect(commits()).toEqual([name]);
    expect(statSync(join(cache, 'opened', name!)).ino).toBe(before);
  });

  it.each(['registry.db', 'commit', 'CURRENT'])('fetches what it has lost: %s', async (file) => {
    await readAll();
    rmSync(paths().find((path) => path.endsWith(`/${file}`))!);
    expect(await readAll()).toBe(ROWS);
  });

  it.each(['', 'opened', 'registry.db', 'CURRENT'])(
    'may be removed while a program reads: %s',
    async (name) => {
      const engine = await open();
      const other = await open();
      const find = () => engine.search({ index: 't', query: 'id:k7', limit: 1 });
      expect(await find()).toMatchObject({ total: 1 });
      const isIt = (path: string) => path === join(cache, name) || path.endsWith(`/${name}`);
      rmSync([cache, ...paths()].find(isIt)!, { recursive: true });
      await other.close();
      expect(await find()).toMatchObject({ total: 1 });
      expect(await Array.fromAsync(engine.exportDocuments({ index: 't' }))).toHaveLength(ROWS);
      await engine.close();
      expect(await readAll()).toBe(ROWS);
    },
  );

  it('fetches a file again that was cut', async () => {
    await readAll();
    truncateSync(paths().find((path) => path.endsWith('.f1.text'))!, 100);
    expect(await readAll()).toBe(ROWS);
  });

  it('keeps what is open, and else no more bytes than its limit', async () => {
    const engine = await open();
    await trimCache(0);
    expect(commits()).toHaveLength(1);
    expect((await engine.search({ index: 't', query: 'id:k7' })).total).toBe(1);
    await engine.close();
    await trimCache(0);
    expect(paths()).toEqual([join(cache, 'opened')]);
    vi.stubEnv('LHS_COLD_CACHE_BYTES', `${3 * MB}`);
    await add(ROWS, 5000);
    for (let n = 0; n < 4; n++) {
      await add(5000 + n, 5001 + n);
      await lake.backend.reindex({ index: 't' });
      expect(await readAll()).toBe(5001 + n);
      expect(bytes()).toBeLessThan(4 * MB);
    }
    expect(commits().length).toBeLessThan(3);
  });

  it.each([0, MB])('is within a limit of %i bytes once it is closed', async (limit) => {
    vi.stubEnv('LHS_COLD_CACHE_BYTES', `${limit}`);
    for (const name of ['b', 'c']) await lake.backend.cloneIndex({ index: 't', name });
    const locations = ['t', 'b', 'c'].map((name) => `file://${lake.folder}/home/${name}`);
    const readers = await Promise.all(locations.map((at) => openEngine(at, { threads: 0 })));
    expect(bytes()).toBeGreaterThan(MB);
    for (const reader of readers) {
      expect((await reader.search({ query: 'id:k7' })).total).toBe(1);
      await reader.close();
    }
    expect(bytes()).toBeLessThanOrEqual(limit);
  });

  it.each([0, MB])('keeps points in time beyond a limit of %i bytes', async (limit) => {
    vi.stubEnv('LHS_COLD_CACHE_BYTES', `${limit}`);
    const opener = await open();
    const { pit_id } = await opener.openPit({ index: 't', keep_alive: '1h' });
    await opener.close();
    await trimCache(0);
    const reader = await open();
    const { total } = await reader.search({ index: 't', query: 'id:k7', pit_id });
    expect(total).toBe(1);
    await reader.closePit({ pit_id });
    await reader.close();
    await trimCache(0);
    expect(commits()).toEqual([]);
  });

  it('has no limit that is no number of bytes', async () => {
    for (const limit of ['1', 'abc', '-5', '2G']) {
      vi.stubEnv('LHS_COLD_CACHE_BYTES', limit);
      await expect(open()).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(`LHS_COLD_CACHE_BYTES is "${limit}"`),
        hint: expect.stringContaining('LHS_COLD_CACHE_BYTES=8589934592'),
      });
    }
  });
});

describe('an index that is opened by its location', () => {
  const key = { identifier: [{ name: 'id', value: 'k7' }] };

  it('is not changed in the cache', async () => {
    const engine = await open();
    const index = 't';
    const query = { name: 'q', mode: 'lexical' as const, request: { index, query: 'x' } };
    const changes = [
      () => engine.setAlias({ alias: 'other', index }),
      () => engine.createSavedQuery(query),
      () => engine.dropIndex({ index }),
      () => engine.renameIndex({ index, name: 'u' }),
      () => engine.cloneIndex({ index, name: 'u' }),
      () => engine.backup({ index, target: join(lake.folder, 'backups') }),
      () => engine.runErasure({ index, keys: [key] }),
    ];
    for (const change of changes) {
      await expect(change(), String(change)).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('an index that is opened by its location is read'),
      });
    }
    expect(await engine.verify({ index })).toBeDefined();
    await engine.close();
  });

  it('is named by the path of a folder, and with a slash at the end', async () => {
    for (const location of [
      `${lake.folder}/home/t`,
      `${lake.folder}/home/t/`,
      `file://${lake.folder}/home/t/`,
      `file://${lake.folder}/data/../home/t`,
    ]) {
      const engine = await openEngine(location, { threads: 0 });
      expect((await engine.search({ index: 't', query: 'id:k7' })).total, location).toBe(1);
      await engine.close();
    }
    await expect(openEngine('s3://bucket/x/../home/t')).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});
